/** Le second facteur et les clés d’accès : à la connexion et dans les paramètres. */
import type { FactorsWords } from './en.ts';

export const fr = {
  step: {
    title: 'Saisissez votre code',
    text: 'Votre application d’authentification affiche six chiffres. Si vous ne l’avez pas sous la main, saisissez un de vos codes de secours.',
    code: 'Code',
    action: 'Continuer',
    back: 'Se connecter avec un autre compte',
  },
  enter: {
    action: 'Utiliser une clé d’accès',
    failed: 'La clé d’accès n’a pas été acceptée. Réessayez ou connectez-vous avec votre mot de passe.',
  },
  codes: {
    title: 'Connexion en deux étapes',
    off: 'Après votre mot de passe, un code d’une application de votre téléphone vous est demandé : le mot de passe seul ne vaut plus rien.',
    on: 'Après votre mot de passe, un code de votre application vous est demandé.',
    left: (count) => `Il en reste ${count}.`,
    leftForms: { one: 'code de secours', other: 'codes de secours' },
    begin: 'Configurer',
    code: 'Code de l’application ou code de secours',
    renew: 'Nouveaux codes de secours',
    remove: 'Désactiver',
    removed: 'Vous vous connectez désormais avec votre seul mot de passe.',
  },
  setUp: {
    title: 'Configurer la connexion en deux étapes',
    scan: 'Scannez ceci avec une application d’authentification, puis saisissez le code qu’elle affiche.',
    picture: 'L’image à scanner',
    secret: 'Ou saisissez cette clé à la main :',
    code: 'Code de l’application',
    action: 'Activer',
  },
  recovery: {
    title: 'Vos codes de secours',
    text: 'Gardez-les là où vous les trouverez sans votre téléphone. Chacun sert une fois, et ils ne sont affichés que maintenant.',
    action: 'Je les ai gardés',
  },
  passkeys: {
    title: 'Clés d’accès',
    text: 'Une clé d’accès vous connecte avec votre empreinte, votre visage ou le code de votre appareil, sans mot de passe.',
    script: 'Pour en ajouter une, il faut un script que votre navigateur n’exécute pas ici.',
    name: 'Nom',
    unnamed: 'Clé d’accès',
    added: 'Ajoutée',
    used: 'Dernière utilisation',
    never: 'jamais',
    add: 'Ajouter une clé d’accès',
    remove: 'Retirer',
    removed: 'La clé d’accès est retirée.',
    isAdded: 'La clé d’accès est ajoutée. Vous pouvez désormais vous connecter avec elle.',
    failed: 'Aucune clé d’accès n’a été ajoutée. Réessayez ou utilisez un autre appareil.',
  },
} satisfies FactorsWords;
