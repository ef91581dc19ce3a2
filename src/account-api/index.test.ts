import { expect, test } from 'bun:test';
import { systemIds } from '../base/ids.ts';
import { createAccountApi } from './index.ts';

const api = createAccountApi({ ids: systemIds });

test.each(['/api/2.0', '/api/2.0/', '/api/2.0/nowhere/', '/api/2.0/%3Cscript%3E'])(
  '404 as an array of errors, with a request id: %s',
  async (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const response = await api.request(path, { method });
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toStartWith('application/json');
      expect(response.headers.get('x-request-id')).not.toBeEmpty();
      const sentence = `There is nothing at ${decodeURI(path)}.`;
      expect(await response.json()).toEqual([
        { error_point: null, error_type: 'notexist', error_message: sentence },
      ]);
    }
  },
);
