/** Kinds of provider that an earlier version had, and whose hosts are no more. */

interface RetiredKind {
  /** Where its vendor says so. */
  readonly source: string;
  readonly asOf: string;
  /** For whoever still names the kind: what became of it, and what to do. */
  readonly sentence: string;
}

export const retiredKinds: ReadonlyMap<string, RetiredKind> = new Map([
  [
    'github',
    {
      source:
        'https://github.blog/changelog/2026-07-01-github-models-is-being-fully-retired-on-july-30-2026/',
      asOf: '2026-11',
      sentence:
        'GitHub retired GitHub Models on 2026-07-30, so that this kind is gone. Take the provider out, here and under the models that name it; GitHub sends its customers to Microsoft Foundry, which is kind azure-openai',
    },
  ],
]);
