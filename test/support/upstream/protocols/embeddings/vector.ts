/** Made-up vectors: the same for the same text, and of length 1. */

export function vectorOf(text: string, dimensions: number): number[] {
  const raw = Array.from({ length: dimensions }, (_, index) => {
    const hash = Number(BigInt(Bun.hash(`${index} ${text}`)) % 2001n);
    return (hash - 1000) / 1000;
  });
  const length = Math.hypot(...raw) || 1;
  return raw.map((value) => Math.fround(value / length));
}
