/** Spanish: what is told of events. */
import { button, type EventTexts, note, paragraph, rows, timesIn } from '../../mail-text.ts';

const { moment, money, duration, percents } = timesIn('es');
const dayMs = 86_400_000;

const periods = { daily: 'al día', weekly: 'a la semana', monthly: 'al mes', total: 'en total' };
const subjects = {
  key: 'de la clave de API',
  user: 'de la cuenta',
  department: 'del departamento',
  project: 'del proyecto',
  organisation: 'de la organización',
};

export const esEvents: EventTexts = {
  welcome: ({ link }, service) => ({
    subject: `Bienvenido a ${service}`,
    blocks: [
      paragraph(
        `Su cuenta en ${service} está lista. Con una clave de API sus programas pueden usar allí todos los modelos.`,
      ),
      button('Ir al panel', link),
    ],
  }),
  wallet_low: ({ isVeryLow, balanceUsd, levelUsd, link }) => ({
    subject: isVeryLow ? 'Su saldo está casi agotado' : 'Su saldo se está acabando',
    blocks: [
      paragraph(
        isVeryLow
          ? 'Cuando no quede nada, las solicitudes se rechazarán. Recargue ahora para que sus programas sigan funcionando.'
          : 'Queda menos que el límite a partir del cual le avisamos. Todavía no se detiene nada.',
      ),
      rows(['Queda', money(balanceUsd)], ['Límite', money(levelUsd)]),
      button('Ver el saldo', link),
      note('Avisamos de esto una vez, y de nuevo después de una recarga.'),
    ],
  }),
  credit_threshold: ({ percent, usedUsd, limitUsd, link }) => ({
    subject:
      percent >= 100
        ? `Queda menos del ${percents(1)} de su crédito`
        : `Se ha usado el ${percents(percent)} de su crédito`,
    blocks: [
      paragraph(
        percent >= 100
          ? `Queda menos del ${percents(1)} de su crédito. Las solicitudes que puedan costar más se rechazan hasta que se pague algo.`
          : 'Su saldo está por debajo de cero y se ha usado una parte de su crédito.',
      ),
      rows(['Usado', money(usedUsd)], ['Crédito', money(limitUsd)]),
      button('Ver el saldo', link),
    ],
  }),
  budget_threshold: ({ percent, spentUsd, limitUsd, period, subject, subjectName, link }) => ({
    subject:
      percent >= 100
        ? `Queda menos del ${percents(1)} de un presupuesto: ${subjectName}`
        : `Se ha gastado el ${percents(percent)} de un presupuesto: ${subjectName}`,
    blocks: [
      paragraph(
        percent >= 100
          ? `Del presupuesto ${subjects[subject]} ${subjectName} queda menos del ${percents(1)}. Las solicitudes que puedan costar más se rechazan hasta que se aumente o empiece el siguiente periodo.`
          : `Del presupuesto ${subjects[subject]} ${subjectName} se ha gastado el ${percents(percent)}.`,
      ),
      rows(['Gastado', money(spentUsd)], ['Presupuesto', `${money(limitUsd)} ${periods[period]}`]),
      button('Ver el uso', link),
      note(
        'Cada nivel de un presupuesto se avisa una vez por periodo, y de nuevo después de aumentar el presupuesto.',
      ),
    ],
  }),
  key_expires: ({ key, days, atMs, link }) => ({
    subject: days === 0 ? `La clave de API ${key} ha caducado` : `La clave de API ${key} caduca pronto`,
    blocks: [
      paragraph(
        days === 0
          ? `La clave de API ${key} caducó el ${moment(atMs)}. Las solicitudes con ella se rechazan.`
          : `La clave de API ${key} caduca el ${moment(atMs)}, en menos de ${duration(days * dayMs)}. Desde entonces se rechazarán las solicitudes con ella.`,
      ),
      button('Ver la clave de API', link),
    ],
  }),
  promotion_expires: ({ promotion, remainingUsd, atMs, link }) => ({
    subject: `Su crédito ${promotion} termina pronto`,
    blocks: [
      paragraph(`Lo que quede de ${promotion} el ${moment(atMs)} ya no se podrá gastar.`),
      rows(['Queda', money(remainingUsd)]),
      button('Ver el saldo', link),
    ],
  }),
  promotion_expired: ({ promotion, expiredUsd, link }) => ({
    subject: `Su crédito ${promotion} ha terminado`,
    blocks: [
      paragraph(
        `${promotion} ha terminado. Lo que no se gastó se ha perdido; lo que usted pagó sigue intacto.`,
      ),
      rows(['Sin gastar', money(expiredUsd)]),
      button('Ver el saldo', link),
    ],
  }),
  payment_received: ({ isApproved, amountUsd, reference, link }) => ({
    subject: `Se han añadido ${money(amountUsd)} a su saldo`,
    blocks: [
      paragraph(isApproved ? 'Su pago ha sido aprobado y anotado.' : 'Su pago ha llegado y está anotado.'),
      rows(['Importe', money(amountUsd)], ...(reference === '' ? [] : [['Referencia', reference] as const])),
      button('Ver el saldo', link),
    ],
  }),
  payment_cancelled: ({ amountUsd, reference, link }) => ({
    subject: `Se han retirado ${money(amountUsd)} de su saldo`,
    blocks: [
      paragraph('Un pago ha sido anulado. Si no sabe por qué, pregunte a quien gestiona este servicio.'),
      rows(['Importe', money(amountUsd)], ...(reference === '' ? [] : [['Referencia', reference] as const])),
      button('Ver el saldo', link),
    ],
  }),
  provider_troubled: ({ provider, attempts, failures, link }) => ({
    subject: `El proveedor ${provider} tiene problemas`,
    blocks: [
      paragraph(
        `La mayoría de las últimas solicitudes a ${provider} han fallado. En su lugar se pregunta a otros donde los hay.`,
      ),
      rows(['Fallidas', `${failures} de ${attempts}`]),
      button('Ver los modelos', link),
      note('Cuando vuelva a responder, también se lo diremos.'),
    ],
  }),
  provider_recovered: ({ provider, sinceMs, link }) => ({
    subject: `El proveedor ${provider} vuelve a responder`,
    blocks: [
      paragraph(`${provider} tenía problemas desde el ${moment(sinceMs)} y vuelve a responder.`),
      button('Ver los modelos', link),
    ],
  }),
  webhook_paused: ({ webhook, failures, link }) => ({
    subject: `El webhook ${webhook} se ha pausado`,
    blocks: [
      paragraph(
        `Las últimas ${failures} entregas a ${webhook} han fallado, así que ya no se le envía nada. Lo que no llegó está en su historial y se puede enviar de nuevo.`,
      ),
      button('Ver el webhook', link),
    ],
  }),
};
