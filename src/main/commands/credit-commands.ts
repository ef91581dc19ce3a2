/** The commands about money that is not paid in beforehand, promotions and credit, and about what is booked by hand. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { writeUsd } from '../../base/money.ts';
import {
  adjust,
  grantPromotion,
  listPromotions,
  movePromotion,
  refund,
  setCreditLimit,
  transfer,
} from '../../ledger/index.ts';
import { transact } from '../../storage/work.ts';
import { type AdminCommand, command, readAmount, requireUser } from './command.ts';

const shortText = 'must have 1 to 200 characters';
const text = z.string().trim().min(1, shortText).max(200, shortText);
const moment = z.iso
  .datetime({ offset: true, error: 'must be a moment such as 2031-05-01T00:00:00Z' })
  .transform((written) => new Date(written));

const grantCommand = command(
  z.strictObject({
    owner: z.string(),
    usd: z.string(),
    name: text,
    reference: text,
    expiresAt: moment.optional(),
  }),
  async (context, { owner, usd, name, reference, expiresAt = null }) => {
    const user = await requireUser(context.storage, owner);
    const amountNanoUsd = readAmount(usd, 1n);
    const businessKey = `command:grant:${user.id}:${reference}`;
    const isNew = await transact(context, (work) =>
      grantPromotion(work, { userId: user.id, name, amountNanoUsd, expiresAt, businessKey }),
    );
    return { owner: user.email, grantedUsd: isNew ? writeUsd(amountNanoUsd) : '0.00', isNew };
  },
);

const listCommand = command(z.strictObject({ owner: z.string() }), async (context, { owner }) => {
  const user = await requireUser(context.storage, owner);
  const promotions = await transact(context, (work) => listPromotions(work, user.id));
  return promotions.map(({ id, name, grantedNanoUsd, remainingNanoUsd, expiresAt }) => ({
    ...{ id, name, expiresAt },
    grantedUsd: writeUsd(grantedNanoUsd),
    remainingUsd: writeUsd(remainingNanoUsd),
  }));
});

const moveCommand = command(
  z.strictObject({ promotion: z.int().positive(), expiresAt: moment.nullable() }),
  async (context, { promotion, expiresAt }) => {
    const { id } = await transact(context, (work) => movePromotion(work, promotion, expiresAt));
    return { id, expiresAt };
  },
);

const creditLimitCommand = command(
  z.strictObject({ owner: z.string(), usd: z.string() }),
  async (context, { owner, usd }) => {
    const user = await requireUser(context.storage, owner);
    const limit = readAmount(usd, 0n);
    await transact(context, (work) => setCreditLimit(work, user.id, limit));
    return { owner: user.email, creditLimitUsd: writeUsd(limit) };
  },
);

const movement = z.strictObject({ owner: z.string(), usd: z.string(), reference: text });

const refundCommand = command(movement, async (context, { owner, usd, reference }) => {
  const { id: userId, email } = await requireUser(context.storage, owner);
  const amountNanoUsd = readAmount(usd, 1n);
  const booking = { businessKey: `command:refund:${userId}:${reference}`, note: reference };
  const isNew = await transact(context, (work) => refund(work, { userId, amountNanoUsd, ...booking }));
  return { owner: email, usd: writeUsd(isNew ? amountNanoUsd : 0n), isNew };
});

const adjustCommand = command(movement, async (context, { owner, usd, reference }) => {
  const { id: userId, email } = await requireUser(context.storage, owner);
  const isLess = usd.trim().startsWith('-');
  const magnitude = readAmount(isLess ? usd.trim().slice(1) : usd, 1n);
  const amountNanoUsd = isLess ? -magnitude : magnitude;
  const booking = { businessKey: `command:adjust:${userId}:${reference}`, note: reference };
  const isNew = await transact(context, (work) => adjust(work, { userId, amountNanoUsd, ...booking }));
  return { owner: email, usd: writeUsd(isNew ? amountNanoUsd : 0n), isNew };
});

const transferCommand = command(
  movement.extend({ to: z.string() }),
  async (context, { owner, to, usd, reference }) => {
    const { id: userId, email } = await requireUser(context.storage, owner);
    const { id: toUserId } = await requireUser(context.storage, to);
    if (userId === toUserId) {
      throw new AppError({ code: 'invalid_parameter', public: '--to must be another account than --owner.' });
    }
    const amountNanoUsd = readAmount(usd, 1n);
    const booking = { businessKey: `command:transfer:${userId}:${reference}`, note: reference };
    const isNew = await transact(context, (work) =>
      transfer(work, { userId, toUserId, amountNanoUsd, ...booking }),
    );
    return { owner: email, usd: writeUsd(isNew ? amountNanoUsd : 0n), isNew };
  },
);

export const creditCommands = {
  'promotions grant': grantCommand,
  'promotions list': listCommand,
  'promotions move': moveCommand,
  'wallet credit-limit': creditLimitCommand,
  'wallet refund': refundCommand,
  'wallet adjust': adjustCommand,
  'wallet transfer': transferCommand,
} as const satisfies Record<string, AdminCommand>;
