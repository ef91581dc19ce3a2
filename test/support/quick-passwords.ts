/**
 * Loaded before all tests: passwords are hashed by the same function at its least cost. Thousands of them at full cost
 * are a tenth of what the suite takes, and tell nothing; processes that tests start hash as ever.
 */
const { hash } = Bun.password;

const leastCost = { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 } as const;

const quickly: typeof hash = (password) => hash(password, leastCost);

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
