/** What holds for every vendor of embeddings and reranking, over a socket and with the answers in its fixtures. */
import { afterEach, describe, expect, test } from 'bun:test';
import { readEmbeddingsRequest } from '../../protocols/embeddings/request.ts';
import { readRerankRequest } from '../../protocols/rerank/request.ts';
import type { ProviderAdapter } from '../provider.ts';
import { askVendor, fixturesIn, serveVendor, taskFor, type VendorDouble } from './vendor-double.ts';

export interface VectorVendor {
  readonly adapter: ProviderAdapter;
  /** The vendor's, as `import.meta.dir` has it. */
  readonly folder: string;
  readonly secret: string | null;
  readonly embeddings: {
    readonly fixture: string;
    readonly model: string;
    readonly path: string;
    /** Of the client, beside the model, two inputs, three dimensions, a type of input and a user. */
    readonly fields: object;
    /** What is sent beside the model. */
    readonly sent: object;
    readonly inputTokens: number | null;
  };
  readonly rerank: {
    readonly fixture: string;
    readonly model: string;
    readonly path: string;
    /** What is sent beside the model and the query. */
    readonly sent: object;
    /** Of three documents. */
    readonly scores: readonly number[];
    readonly inputTokens: number | null;
    readonly searchUnits: number | null;
  };
}

export function vectorVendorCases({ adapter, folder, secret, ...vendor }: VectorVendor): void {
  const fixture = fixturesIn(folder);
  const { embeddings, rerank } = adapter.supports({});
  if (embeddings === undefined || rerank === undefined) throw new Error(`${adapter.kind} does both`);

  let double: VendorDouble | undefined;
  afterEach(() => double?.stop());

  function expectAsked({ path, sent, model }: { path: string; sent: object; model: string }): void {
    expect(double?.requests).toHaveLength(1);
    const [request] = double?.requests ?? [];
    if (request === undefined) throw new Error('nothing was asked');
    expect(request.path).toBe(path);
    expect(request.headers.get('authorization')).toBe(secret === null ? null : `Bearer ${secret}`);
    expect(request.body).toEqual({ model, ...sent });
  }

  describe(adapter.kind, () => {
    test('embeds', async () => {
      const { model, path, fields, sent, inputTokens } = vendor.embeddings;
      double = serveVendor(fixture(vendor.embeddings.fixture));
      const request = readEmbeddingsRequest(
        JSON.stringify({
          model: 'm',
          input: ['harbour', 'lighthouse'],
          dimensions: 3,
          input_type: 'search_query',
          user: 'someone',
          ...fields,
        }),
      );
      const body = embeddings.protocol.writeRequest(request, request.inputs, model);
      const task = taskFor({ baseUrl: double.url, secret }, { model, body });
      const text = await askVendor(embeddings.address(task), body);
      expectAsked({ model, path, sent });
      expect(embeddings.protocol.readAnswer(JSON.parse(text), 2)).toEqual({
        vectors: [
          [0.5, -0.25, 0.125],
          [0.0625, 1, -1.5],
        ],
        inputTokens,
      });
    });

    test('reranks', async () => {
      const { model, path, sent, scores, inputTokens, searchUnits } = vendor.rerank;
      double = serveVendor(fixture(vendor.rerank.fixture));
      const request = readRerankRequest(
        JSON.stringify({
          model: 'm',
          query: 'ships',
          documents: ['a', 'b', 'c'],
          top_n: 1,
          return_documents: true,
        }),
      );
      const body = rerank.protocol.writeRequest(request, request.documents, model);
      const task = taskFor({ baseUrl: double.url, secret }, { model, body });
      const text = await askVendor(rerank.address(task), body);
      expectAsked({ model, path, sent: { query: 'ships', ...sent } });
      expect(rerank.protocol.readAnswer(JSON.parse(text), 3)).toEqual({
        scores: scores.map((score, index) => ({ index, score })),
        inputTokens,
        searchUnits,
      });
    });
  });
}
