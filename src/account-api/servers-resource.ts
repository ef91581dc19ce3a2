/** The account's own inference servers, to read. */
import type { PersonScope } from '../base/scope.ts';
import {
  accountAddress,
  accountUuid,
  findServer,
  type InferenceServer,
  serverList,
} from '../catalogue/index.ts';
import type { Json, Resource } from './resource.ts';

const addressOf = (uuid: string): string => `/api/2.0/servers/${uuid}/`;

const showServer = ({ uuid, name, status, runningSince }: InferenceServer, scope: PersonScope): Json => {
  const owner = accountUuid(scope);
  return {
    name,
    owner: { resource_uri: accountAddress(owner), uuid: owner },
    resource_uri: addressOf(uuid),
    runtime: runningSince === null ? null : { running_since: runningSince.toISOString() },
    status,
    uuid,
  };
};

export const serversResource: Resource<InferenceServer> = {
  name: 'servers',
  summary: 'Inference servers of the account',
  title: 'Server',
  fields: {
    name: { type: 'string', isReadOnly: true, help: 'Its name' },
    owner: {
      ...{ type: 'object', isReadOnly: true, help: 'Whose it is' },
      properties: {
        resource_uri: { type: 'string', isReadOnly: true, help: 'Address of the account' },
        uuid: { type: 'string', isReadOnly: true, help: 'What the account is known by' },
      },
    },
    resource_uri: { type: 'string', isReadOnly: true, help: 'Its address' },
    runtime: {
      type: 'object',
      isNullable: true,
      isReadOnly: true,
      help: 'Since when it runs; null when it does not',
      properties: {
        running_since: { type: 'string', isReadOnly: true, help: 'A moment, as `2026-01-31T12:00:00.000Z`' },
      },
    },
    status: {
      ...{ type: 'string', isReadOnly: true, help: 'What it does' },
      values: ['running', 'stopping', 'stopped'],
    },
    uuid: { type: 'string', isReadOnly: true, help: 'What it is known by' },
  },
  list: serverList,
  show: showServer,
  find: findServer,
  actions: {},
  actionsOnOne: {},
};
