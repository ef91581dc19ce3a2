/** German: what is told of events. */
import { button, type EventTexts, note, paragraph, rows, timesIn } from '../../mail-text.ts';

const { moment, money, duration, percents } = timesIn('de');
const dayMs = 86_400_000;

const periods = { daily: 'am Tag', weekly: 'in der Woche', monthly: 'im Monat', total: 'insgesamt' };
const subjects = {
  key: 'des API-Schlüssels',
  user: 'des Kontos',
  department: 'der Abteilung',
  project: 'des Projekts',
  organisation: 'der Organisation',
};

export const deEvents: EventTexts = {
  welcome: ({ link }, service) => ({
    subject: `Willkommen bei ${service}`,
    blocks: [
      paragraph(
        `Ihr Konto bei ${service} ist bereit. Mit einem API-Schlüssel können Ihre Programme dort jedes Modell benutzen.`,
      ),
      button('Zur Übersicht', link),
    ],
  }),
  wallet_low: ({ isVeryLow, balanceUsd, levelUsd, link }) => ({
    subject: isVeryLow ? 'Ihr Guthaben ist fast aufgebraucht' : 'Ihr Guthaben geht zur Neige',
    blocks: [
      paragraph(
        isVeryLow
          ? 'Ist nichts mehr da, werden Anfragen abgelehnt. Laden Sie jetzt auf, damit Ihre Programme weiterlaufen.'
          : 'Es ist weniger da als die Grenze, ab der wir Bescheid geben. Noch hält nichts an.',
      ),
      rows(['Übrig', money(balanceUsd)], ['Grenze', money(levelUsd)]),
      button('Guthaben ansehen', link),
      note('Das melden wir einmal, und nach einem Aufladen von Neuem.'),
    ],
  }),
  credit_threshold: ({ percent, usedUsd, limitUsd, link }) => ({
    subject:
      percent >= 100
        ? `Weniger als ${percents(1)} Ihres Kredits ist übrig`
        : `${percents(percent)} Ihres Kredits sind benutzt`,
    blocks: [
      paragraph(
        percent >= 100
          ? `Von Ihrem Kredit ist weniger als ${percents(1)} übrig. Anfragen, die mehr kosten können, werden abgelehnt, bis etwas bezahlt ist.`
          : 'Ihr Guthaben liegt unter null, und ein Teil Ihres Kredits ist benutzt.',
      ),
      rows(['Benutzt', money(usedUsd)], ['Kredit', money(limitUsd)]),
      button('Guthaben ansehen', link),
    ],
  }),
  budget_threshold: ({ percent, spentUsd, limitUsd, period, subject, subjectName, link }) => ({
    subject:
      percent >= 100
        ? `Weniger als ${percents(1)} eines Budgets ist übrig: ${subjectName}`
        : `${percents(percent)} eines Budgets sind ausgegeben: ${subjectName}`,
    blocks: [
      paragraph(
        percent >= 100
          ? `Vom Budget ${subjects[subject]} ${subjectName} ist weniger als ${percents(1)} übrig. Anfragen, die mehr kosten können, werden abgelehnt, bis das Budget erhöht wird oder der nächste Zeitraum beginnt.`
          : `Vom Budget ${subjects[subject]} ${subjectName} sind ${percents(percent)} ausgegeben.`,
      ),
      rows(['Ausgegeben', money(spentUsd)], ['Budget', `${money(limitUsd)} ${periods[period]}`]),
      button('Verbrauch ansehen', link),
      note(
        'Jede Stufe eines Budgets wird einmal je Zeitraum gemeldet, und nach einer Erhöhung des Budgets von Neuem.',
      ),
    ],
  }),
  key_expires: ({ key, days, atMs, link }) => ({
    subject:
      days === 0 ? `Der API-Schlüssel ${key} ist abgelaufen` : `Der API-Schlüssel ${key} läuft bald ab`,
    blocks: [
      paragraph(
        days === 0
          ? `Der API-Schlüssel ${key} ist am ${moment(atMs)} abgelaufen. Anfragen mit ihm werden abgelehnt.`
          : `Der API-Schlüssel ${key} läuft am ${moment(atMs)} ab, also in weniger als ${duration(days * dayMs).replace(/Tage$/, 'Tagen')}. Von da an werden Anfragen mit ihm abgelehnt.`,
      ),
      button('API-Schlüssel ansehen', link),
    ],
  }),
  promotion_expires: ({ promotion, remainingUsd, atMs, link }) => ({
    subject: `Ihre Gutschrift ${promotion} endet bald`,
    blocks: [
      paragraph(`Was am ${moment(atMs)} von ${promotion} übrig ist, kann nicht mehr ausgegeben werden.`),
      rows(['Übrig', money(remainingUsd)]),
      button('Guthaben ansehen', link),
    ],
  }),
  promotion_expired: ({ promotion, expiredUsd, link }) => ({
    subject: `Ihre Gutschrift ${promotion} ist zu Ende`,
    blocks: [
      paragraph(
        `${promotion} ist zu Ende. Was davon nicht ausgegeben war, ist verfallen; was Sie bezahlt haben, bleibt unberührt.`,
      ),
      rows(['Nicht ausgegeben', money(expiredUsd)]),
      button('Guthaben ansehen', link),
    ],
  }),
  payment_received: ({ isApproved, amountUsd, reference, link }) => ({
    subject: `${money(amountUsd)} sind Ihrem Guthaben gutgeschrieben`,
    blocks: [
      paragraph(
        isApproved
          ? 'Ihre Zahlung wurde bestätigt und gebucht.'
          : 'Ihre Zahlung ist eingegangen und gebucht.',
      ),
      rows(['Betrag', money(amountUsd)], ...(reference === '' ? [] : [['Bezug', reference] as const])),
      button('Guthaben ansehen', link),
    ],
  }),
  payment_cancelled: ({ amountUsd, reference, link }) => ({
    subject: `${money(amountUsd)} wurden von Ihrem Guthaben zurückgenommen`,
    blocks: [
      paragraph(
        'Eine Zahlung wurde zurückgenommen. Wissen Sie nicht, warum, fragen Sie den Betreiber dieses Dienstes.',
      ),
      rows(['Betrag', money(amountUsd)], ...(reference === '' ? [] : [['Bezug', reference] as const])),
      button('Guthaben ansehen', link),
    ],
  }),
  provider_troubled: ({ provider, attempts, failures, link }) => ({
    subject: `Anbieter ${provider} ist gestört`,
    blocks: [
      paragraph(
        `Die meisten der letzten Anfragen an ${provider} sind gescheitert. An seiner Stelle werden andere gefragt, wo es welche gibt.`,
      ),
      rows(['Gescheitert', `${failures} von ${attempts}`]),
      button('Modelle ansehen', link),
      note('Antwortet er wieder, erfahren Sie es auch.'),
    ],
  }),
  provider_recovered: ({ provider, sinceMs, link }) => ({
    subject: `Anbieter ${provider} antwortet wieder`,
    blocks: [
      paragraph(`${provider} war seit dem ${moment(sinceMs)} gestört und antwortet wieder.`),
      button('Modelle ansehen', link),
    ],
  }),
  webhook_paused: ({ webhook, failures, link }) => ({
    subject: `Der Webhook ${webhook} wurde angehalten`,
    blocks: [
      paragraph(
        `Die letzten ${failures} Zustellungen an ${webhook} sind gescheitert, deshalb wird nichts mehr dorthin gesendet. Was nicht ankam, steht in seinem Verlauf und kann noch einmal gesendet werden.`,
      ),
      button('Webhook ansehen', link),
    ],
  }),
};
