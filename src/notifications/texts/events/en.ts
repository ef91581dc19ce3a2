/** English: what is told of events. */
import { button, type EventTexts, note, paragraph, rows, timesIn } from '../../mail-text.ts';

const { moment, money, duration, percents } = timesIn('en');
const dayMs = 86_400_000;

const periods = { daily: 'a day', weekly: 'a week', monthly: 'a month', total: 'in all' };
const subjects = {
  key: 'the API key',
  user: 'the account',
  department: 'the department',
  project: 'the project',
  organisation: 'the organisation',
};

export const enEvents: EventTexts = {
  welcome: ({ link }, service) => ({
    subject: `Welcome to ${service}`,
    blocks: [
      paragraph(
        `Your account at ${service} is ready. With an API key your programs can use every model there.`,
      ),
      button('Go to the dashboard', link),
    ],
  }),
  wallet_low: ({ isVeryLow, balanceUsd, levelUsd, link }) => ({
    subject: isVeryLow ? 'Your balance is almost used up' : 'Your balance is getting low',
    blocks: [
      paragraph(
        isVeryLow
          ? 'Requests are refused once nothing is left. Top up now, so that your programs go on.'
          : 'There is less left than what we tell you of. Nothing stops yet.',
      ),
      rows(['Left', money(balanceUsd)], ['Told below', money(levelUsd)]),
      button('See the balance', link),
      note('This is told once, and again after a top-up.'),
    ],
  }),
  credit_threshold: ({ percent, usedUsd, limitUsd, link }) => ({
    subject:
      percent >= 100
        ? `Less than ${percents(1)} of your credit is left`
        : `${percents(percent)} of your credit is used`,
    blocks: [
      paragraph(
        percent >= 100
          ? `Less than ${percents(1)} of your credit is left. Requests that can cost more are refused until something is paid.`
          : 'Your balance is below zero, and part of your credit is used.',
      ),
      rows(['Used', money(usedUsd)], ['Credit', money(limitUsd)]),
      button('See the balance', link),
    ],
  }),
  budget_threshold: ({ percent, spentUsd, limitUsd, period, subject, subjectName, link }) => ({
    subject:
      percent >= 100
        ? `Less than ${percents(1)} of a budget is left: ${subjectName}`
        : `${percents(percent)} of a budget is spent: ${subjectName}`,
    blocks: [
      paragraph(
        percent >= 100
          ? `Of the budget of ${subjects[subject]} ${subjectName}, less than ${percents(1)} is left. Requests that can cost more are refused until the budget is raised or its next period begins.`
          : `Of the budget of ${subjects[subject]} ${subjectName}, ${percents(percent)} is spent.`,
      ),
      rows(['Spent', money(spentUsd)], ['Budget', `${money(limitUsd)} ${periods[period]}`]),
      button('See the usage', link),
      note('Each step of a budget is told once a period, and again after the budget was raised.'),
    ],
  }),
  key_expires: ({ key, days, atMs, link }) => ({
    subject: days === 0 ? `The API key ${key} has expired` : `The API key ${key} expires soon`,
    blocks: [
      paragraph(
        days === 0
          ? `The API key ${key} expired on ${moment(atMs)}. Requests with it are refused.`
          : `The API key ${key} expires on ${moment(atMs)}, in less than ${duration(days * dayMs)}. Requests with it are refused from then on.`,
      ),
      button('See the API key', link),
    ],
  }),
  promotion_expires: ({ promotion, remainingUsd, atMs, link }) => ({
    subject: `Your credit ${promotion} ends soon`,
    blocks: [
      paragraph(`What is left of ${promotion} on ${moment(atMs)} can no longer be spent.`),
      rows(['Left', money(remainingUsd)]),
      button('See the balance', link),
    ],
  }),
  promotion_expired: ({ promotion, expiredUsd, link }) => ({
    subject: `Your credit ${promotion} has ended`,
    blocks: [
      paragraph(`${promotion} has ended. What was not spent of it is gone; what you paid is untouched.`),
      rows(['Not spent', money(expiredUsd)]),
      button('See the balance', link),
    ],
  }),
  payment_received: ({ isApproved, amountUsd, reference, link }) => ({
    subject: `${money(amountUsd)} was added to your balance`,
    blocks: [
      paragraph(
        isApproved ? 'Your payment was approved and booked.' : 'Your payment has come in and is booked.',
      ),
      rows(['Amount', money(amountUsd)], ...(reference === '' ? [] : [['Reference', reference] as const])),
      button('See the balance', link),
    ],
  }),
  payment_cancelled: ({ amountUsd, reference, link }) => ({
    subject: `${money(amountUsd)} was taken back from your balance`,
    blocks: [
      paragraph('A payment was taken back. If you do not know why, ask whoever runs this service.'),
      rows(['Amount', money(amountUsd)], ...(reference === '' ? [] : [['Reference', reference] as const])),
      button('See the balance', link),
    ],
  }),
  provider_troubled: ({ provider, attempts, failures, link }) => ({
    subject: `Provider ${provider} is in trouble`,
    blocks: [
      paragraph(
        `Most of the recent requests to ${provider} failed. Others are asked in its place where there are any.`,
      ),
      rows(['Failed', `${failures} of ${attempts}`]),
      button('See the models', link),
      note('When it answers again, you are told too.'),
    ],
  }),
  provider_recovered: ({ provider, sinceMs, link }) => ({
    subject: `Provider ${provider} answers again`,
    blocks: [
      paragraph(`${provider} was in trouble since ${moment(sinceMs)}, and answers again.`),
      button('See the models', link),
    ],
  }),
  webhook_paused: ({ webhook, failures, link }) => ({
    subject: `The webhook ${webhook} was paused`,
    blocks: [
      paragraph(
        `The last ${failures} deliveries to ${webhook} failed, so nothing is sent there any more. What could not be delivered stands in its history, and can be sent again.`,
      ),
      button('See the webhook', link),
    ],
  }),
};
