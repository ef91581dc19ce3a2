/**
 * Loaded before all tests: what is to be hashed at the cost of passwords is hashed by the same function at its least.
 * Thousands at full cost are a tenth of what the suite takes, and tell nothing; processes that tests start hash as ever.
 */
const { hash } = Bun.password;

const leastCost = { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 } as const;

/** Any other cost is kept, so that a mistake in it is seen in the hash. */
const quickly: typeof hash = (password, options) => {
  const isFull =
    typeof options === 'object' &&
    options.algorithm === 'argon2id' &&
    options.memoryCost === 19_456 &&
    options.timeCost === 2;
  return hash(password, isFull ? leastCost : options);
};

/** Does `work` with hashes at the cost that the code asks for. */
export async function atFullCost(work: () => Promise<void>): Promise<void> {
  Object.assign(Bun.password, { hash });
  try {
    await work();
  } finally {
    Object.assign(Bun.password, { hash: quickly });
  }
}

Object.assign(Bun.password, { hash: quickly });
