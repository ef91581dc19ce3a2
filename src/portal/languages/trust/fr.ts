/** Français : comment le service est gardé, et qui décide de quoi. */
import type { TrustWords } from './en.ts';

export const fr: TrustWords = {
  security: {
    title: 'Sécurité',
    description: 'Comment secrets, contenus, pages et clients sont protégés, et ce qui reste à l’exploitant.',
    lead: 'Ce que le logiciel fait pour être sûr et, franchement, ce qu’il laisse à qui l’exploite.',
    sections: [
      {
        title: 'Secrets',
        points: [
          [
            'Jetons et sessions',
            'Aléatoires, gardés sous forme de hachages SHA-256. Un jeton est montré une fois.',
          ],
          [
            'Mots de passe',
            'Gardés sous forme de hachages argon2id. Deviner est freiné par compte et par adresse.',
          ],
          [
            'Clés des fournisseurs',
            'Scellées par AES-256-GCM sous un secret qui n’est pas dans la base, ouvertes en mémoire seulement, jamais journalisées.',
          ],
        ],
      },
      {
        title: 'Contenus',
        points: [
          [
            'Non gardés',
            'Requêtes et réponses ne sont écrites ni dans la base ni dans le journal. Les relevés portent quantités, temps, coûts et issues.',
          ],
          [
            'Deux exceptions, pour un temps',
            'Question et réponse de l’interface responses sont tenues une heure en mémoire, sauf changement par l’exploitant, pour la clé qui les a reçues, afin que la requête suivante puisse s’y référer ; `store: false` l’évite. La réponse à une requête avec `Idempotency-Key` est tenue un jour, en mémoire ou scellée dans Redis, pour la même requête seulement.',
          ],
          [
            'Qui les voit',
            'Le fournisseur qui répond. Une clé peut être limitée à des modèles, fournisseurs et régions.',
          ],
        ],
      },
      {
        title: 'Pages',
        points: [
          [
            'Règle stricte',
            'Les pages ne chargent rien d’autres hôtes et n’exécutent aucun script incorporé. Elles ne se laissent pas encadrer et n’envoient pas de référent.',
          ],
          [
            'Personne n’agit pour vous',
            'Ce qu’envoie la page d’un autre site est refusé. Les cookies sont `HttpOnly` et `SameSite=Lax`, et en https `Secure` ; celui de la session y a le préfixe `__Host-`.',
          ],
        ],
      },
      {
        title: 'Clients séparés et entrées hostiles',
        points: [
          [
            'Les données de qui',
            'Toute lecture et écriture de ce que des gens possèdent dit pour qui. Ce qui est à un autre est répondu comme s’il n’existait pas.',
          ],
          [
            'Borné',
            'Taille, temps et mémoire d’une requête sont bornés avant qu’elle soit lue, et une clé ne peut tout prendre.',
          ],
          [
            'Un modèle, comme nommé',
            'Les champs qui choisiraient un autre modèle, hôte ou accès derrière un fournisseur sont refusés.',
          ],
        ],
      },
      {
        title: 'Laissé à l’exploitant',
        points: [
          ['Le chiffrement en route', 'Un proxy devant termine TLS ; le programme lui-même parle HTTP.'],
          [
            'Sauvegarde et conservation',
            'De la base. Les relevés d’usage restent, sauf si l’exploitant fixe un nombre de jours.',
          ],
          [
            'Les limites sur plusieurs processus',
            'Sans Redis, chaque processus compte pour lui : les limites d’une clé s’additionnent.',
          ],
        ],
      },
    ],
  },
  controls: {
    title: 'Contrôles',
    description: 'Qui décide de quoi : clés, portefeuilles, rôles et réglages de l’exploitant.',
    lead: 'Ce qui peut être tenu dans des bornes, et par qui.',
    sections: [
      {
        title: 'Une clé',
        points: [
          ['Verrous', 'Sur des modèles, fournisseurs et régions. Ce qu’un verrou ne nomme pas est refusé.'],
          ['Limites', 'Requêtes par minute, jetons par minute, requêtes à la fois.'],
          [
            'Droits et durée',
            'Inférence, webchat ou lecture seule ; une date de fin ; révoquée aussitôt et pour de bon.',
          ],
        ],
      },
      {
        title: 'Un compte',
        points: [
          [
            'Portefeuille',
            'Prépayé. S’il est vide, les requêtes aux modèles payants sont refusées par 402 ; celles aux modèles gratuits continuent.',
          ],
          ['État', 'Un compte suspendu est refusé et ne perd rien ; un compte fermé a ses clés révoquées.'],
          [
            'Rôles',
            'De membre à propriétaire de la plateforme ; chacun voit et change ce qu’atteint son rôle, et rien à côté.',
          ],
        ],
      },
      {
        title: 'Un fournisseur',
        points: [
          [
            'Ordre et visibilité',
            'Qui déclare des modèles dit quels fournisseurs les servent, dans quel ordre et dans quelle région.',
          ],
          [
            'Patience',
            'Combien attendre une connexion, un premier octet, une réponse entière ; aussi pour chaque fournisseur à part.',
          ],
        ],
      },
      {
        title: 'Le service',
        points: [
          [
            'Ce qui est tenu',
            'Combien de temps les réponses sont tenues pour référence ; `0` n’en tient aucune.',
          ],
          ['Combien', 'La plus grande requête, et la mémoire que toutes ensemble peuvent prendre.'],
          [
            'Vérifié au démarrage',
            'Chaque erreur de réglage est nommée, et `npx sluice doctor` demande à chaque fournisseur s’il marche.',
          ],
        ],
      },
    ],
  },
  certifications: {
    title: 'Certifications',
    description: 'Quelles certifications ce service revendique : aucune. Ce qu’un exploitant peut ajouter.',
    lead: 'Aucune n’est revendiquée. Le logiciel n’a été ni audité ni certifié par quiconque ; sinon cette page le dirait.',
    sections: [
      {
        title: 'Ce que cela veut dire',
        points: [
          [
            'Un certificat porte sur une exploitation',
            'ISO 27001, SOC 2 et leurs semblables certifient comment travaille une organisation. Un logiciel seul ne peut les avoir : qui exploite ce service le peut.',
          ],
          [
            'Demandez à l’exploitant',
            'Ses certificats, ses sous-traitants et le lieu de ses serveurs, c’est à lui de les montrer. L’accord de traitement des données en est le lieu.',
          ],
        ],
      },
      {
        title: 'Ce que le logiciel apporte',
        points: [
          [
            'Des preuves',
            'Un relevé par requête avec chaque essai, les dépôts et débits de chaque portefeuille, les versions acceptées des conditions avec leur heure.',
          ],
          [
            'Peu de données',
            'Aucun contenu dans la base ou le journal, aucun hôte étranger sur aucune page, seuls les cookies nécessaires.',
          ],
          ['Code ouvert', 'Sous licence Apache 2.0, pour qu’il puisse être lu, avec ses tests.'],
        ],
      },
      {
        title: 'Ce qu’ajoute un exploitant',
        points: [
          ['Ses propres textes', 'Les pages juridiques sont des fichiers qu’un dossier à lui remplace.'],
          ['Ses mesures', 'TLS, sauvegardes, conservation, accès aux serveurs, traitement des incidents.'],
        ],
      },
    ],
  },
};
