/** Pieces of generateContent streams, written out for tests. */

export const counts = {
  promptTokenCount: 50,
  candidatesTokenCount: 5,
  totalTokenCount: 59,
  cachedContentTokenCount: 40,
  thoughtsTokenCount: 4,
};

/** A whole answer, or a piece of a streamed one, of one candidate. */
export const piece = (parts: readonly object[], finishReason?: string, usageMetadata?: object) => ({
  candidates: [{ content: { parts, role: 'model' }, finishReason, index: 0 }],
  usageMetadata,
  modelVersion: 'gemini-x',
  responseId: 'resp-1',
});

export const call = (name: string, args?: object, thoughtSignature?: string) => ({
  functionCall: { name, args },
  thoughtSignature,
});

/** Lines end as the vendor ends them. */
export const streamOf = (...pieces: readonly object[]): string =>
  pieces.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`).join('');
