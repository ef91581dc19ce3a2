/** The descriptions of the APIs. */

export const en = {
  title: 'API reference',
  description:
    'Every address of the gateway, the portal and the account API, with fields, answers and errors.',
  lead: 'Made from the program that answers. Choose Authorize to send requests with your token; they are real and are charged.',
  names: { gateway: 'Gateway', portal: 'Portal', account: 'Account API' },
  file: 'The description as OpenAPI 3.1, for programs',
  needsScript: 'This page draws the description with a script. Without one, open the file above.',
};

export type ReferenceWords = typeof en;
