/** French: what is told of events. */
import { button, type EventTexts, note, paragraph, rows, timesIn } from '../../mail-text.ts';

const { moment, money, duration, percents } = timesIn('fr');
const dayMs = 86_400_000;

const periods = { daily: 'par jour', weekly: 'par semaine', monthly: 'par mois', total: 'au total' };
const subjects = {
  key: 'de la clé API',
  user: 'du compte',
  department: 'du service',
  project: 'du projet',
  organisation: 'de l’organisation',
};

export const frEvents: EventTexts = {
  welcome: ({ link }, service) => ({
    subject: `Bienvenue chez ${service}`,
    blocks: [
      paragraph(
        `Votre compte chez ${service} est prêt. Avec une clé API, vos programmes peuvent y utiliser tous les modèles.`,
      ),
      button('Aller au tableau de bord', link),
    ],
  }),
  wallet_low: ({ isVeryLow, balanceUsd, levelUsd, link }) => ({
    subject: isVeryLow ? 'Votre solde est presque épuisé' : 'Votre solde devient bas',
    blocks: [
      paragraph(
        isVeryLow
          ? 'Une fois le solde épuisé, les requêtes sont refusées. Rechargez maintenant pour que vos programmes continuent.'
          : 'Il reste moins que le seuil à partir duquel nous vous prévenons. Rien ne s’arrête encore.',
      ),
      rows(['Reste', money(balanceUsd)], ['Seuil', money(levelUsd)]),
      button('Voir le solde', link),
      note('Nous le signalons une fois, puis de nouveau après une recharge.'),
    ],
  }),
  credit_threshold: ({ percent, usedUsd, limitUsd, link }) => ({
    subject:
      percent >= 100
        ? `Il reste moins de ${percents(1)} de votre crédit`
        : `${percents(percent)} de votre crédit est utilisé`,
    blocks: [
      paragraph(
        percent >= 100
          ? `Il reste moins de ${percents(1)} de votre crédit. Les requêtes qui peuvent coûter davantage sont refusées jusqu’au prochain paiement.`
          : 'Votre solde est négatif, et une partie de votre crédit est utilisée.',
      ),
      rows(['Utilisé', money(usedUsd)], ['Crédit', money(limitUsd)]),
      button('Voir le solde', link),
    ],
  }),
  budget_threshold: ({ percent, spentUsd, limitUsd, period, subject, subjectName, link }) => ({
    subject:
      percent >= 100
        ? `Il reste moins de ${percents(1)} d’un budget : ${subjectName}`
        : `${percents(percent)} d’un budget est dépensé : ${subjectName}`,
    blocks: [
      paragraph(
        percent >= 100
          ? `Il reste moins de ${percents(1)} du budget ${subjects[subject]} ${subjectName}. Les requêtes qui peuvent coûter davantage sont refusées jusqu’à ce que le budget soit augmenté ou que la période suivante commence.`
          : `Le budget ${subjects[subject]} ${subjectName} est dépensé à ${percents(percent)}.`,
      ),
      rows(['Dépensé', money(spentUsd)], ['Budget', `${money(limitUsd)} ${periods[period]}`]),
      button('Voir l’utilisation', link),
      note(
        'Chaque palier d’un budget est signalé une fois par période, puis de nouveau après une augmentation du budget.',
      ),
    ],
  }),
  key_expires: ({ key, days, atMs, link }) => ({
    subject: days === 0 ? `La clé API ${key} a expiré` : `La clé API ${key} expire bientôt`,
    blocks: [
      paragraph(
        days === 0
          ? `La clé API ${key} a expiré le ${moment(atMs)}. Les requêtes qui l’utilisent sont refusées.`
          : `La clé API ${key} expire le ${moment(atMs)}, dans moins de ${duration(days * dayMs)}. Les requêtes qui l’utilisent seront alors refusées.`,
      ),
      button('Voir la clé API', link),
    ],
  }),
  promotion_expires: ({ promotion, remainingUsd, atMs, link }) => ({
    subject: `Votre crédit offert ${promotion} se termine bientôt`,
    blocks: [
      paragraph(`Ce qui restera de ${promotion} le ${moment(atMs)} ne pourra plus être dépensé.`),
      rows(['Reste', money(remainingUsd)]),
      button('Voir le solde', link),
    ],
  }),
  promotion_expired: ({ promotion, expiredUsd, link }) => ({
    subject: `Votre crédit offert ${promotion} est terminé`,
    blocks: [
      paragraph(
        `${promotion} est terminé. Ce qui n’en a pas été dépensé est perdu ; ce que vous avez payé reste intact.`,
      ),
      rows(['Non dépensé', money(expiredUsd)]),
      button('Voir le solde', link),
    ],
  }),
  payment_received: ({ isApproved, amountUsd, reference, link }) => ({
    subject: `${money(amountUsd)} ont été ajoutés à votre solde`,
    blocks: [
      paragraph(
        isApproved
          ? 'Votre paiement a été approuvé et comptabilisé.'
          : 'Votre paiement est arrivé et comptabilisé.',
      ),
      rows(['Montant', money(amountUsd)], ...(reference === '' ? [] : [['Référence', reference] as const])),
      button('Voir le solde', link),
    ],
  }),
  payment_cancelled: ({ amountUsd, reference, link }) => ({
    subject: `${money(amountUsd)} ont été repris de votre solde`,
    blocks: [
      paragraph(
        'Un paiement a été annulé. Si vous ne savez pas pourquoi, demandez à l’exploitant de ce service.',
      ),
      rows(['Montant', money(amountUsd)], ...(reference === '' ? [] : [['Référence', reference] as const])),
      button('Voir le solde', link),
    ],
  }),
  provider_troubled: ({ provider, attempts, failures, link }) => ({
    subject: `Le fournisseur ${provider} est en difficulté`,
    blocks: [
      paragraph(
        `La plupart des dernières requêtes à ${provider} ont échoué. D’autres fournisseurs sont sollicités à sa place quand il y en a.`,
      ),
      rows(['Échecs', `${failures} sur ${attempts}`]),
      button('Voir les modèles', link),
      note('Quand il répondra de nouveau, vous le saurez aussi.'),
    ],
  }),
  provider_recovered: ({ provider, sinceMs, link }) => ({
    subject: `Le fournisseur ${provider} répond de nouveau`,
    blocks: [
      paragraph(`${provider} était en difficulté depuis le ${moment(sinceMs)}, et répond de nouveau.`),
      button('Voir les modèles', link),
    ],
  }),
  webhook_paused: ({ webhook, failures, link }) => ({
    subject: `Le webhook ${webhook} est suspendu`,
    blocks: [
      paragraph(
        `Les ${failures} derniers envois à ${webhook} ont échoué ; plus rien ne lui est envoyé. Ce qui n’est pas arrivé figure dans son historique et peut être renvoyé.`,
      ),
      button('Voir le webhook', link),
    ],
  }),
};
