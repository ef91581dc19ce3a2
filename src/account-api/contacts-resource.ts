/** Notification contacts: the people whom an account has told of what happens to it. */
import { z } from 'zod';
import { AppError } from '../base/errors.ts';
import {
  type Contact,
  changeContact,
  contactAddress,
  contactFields,
  contactList,
  createContacts,
  findContact,
  removeContact,
} from '../notifications/index.ts';
import { action, type Json, type Resource } from './resource.ts';

const mostAtOnce = 1_000;

const { email, name, phone } = contactFields;
const changeable = { email: email.optional(), name: name.optional(), phone: phone.optional() };

const newContacts = z.strictObject({
  objects: z
    .array(z.strictObject({ ...changeable, email }))
    .min(1)
    .max(mostAtOnce),
});

/** A contact as it was read may be sent back with some of it changed. */
const changedContact = z.strictObject({
  ...changeable,
  uuid: z.unknown().optional(),
  resource_uri: z.unknown().optional(),
  main: z.unknown().optional(),
  pk: z.unknown().optional(),
});

const showContact = ({ uuid, email, name, phone, main }: Contact): Json => ({
  email,
  main: main ? true : null,
  name,
  phone,
  resource_uri: contactAddress(uuid),
  uuid,
});

export const contactsResource: Resource<Contact> = {
  name: 'notification_contacts',
  summary: 'Contacts of the account',
  title: 'NotificationContact',
  fields: {
    email: { type: 'string', help: 'E-mail address' },
    main: {
      ...{ type: 'boolean', isNullable: true, isReadOnly: true },
      help: 'True for the main contact, which follows the address of the account; null for others',
    },
    name: { type: 'string', help: 'Display name' },
    phone: { type: 'string', help: 'Digits, with a plus before the country; empty when unset' },
    resource_uri: { type: 'string', isReadOnly: true, help: 'Its address' },
    uuid: { type: 'string', isReadOnly: true, help: 'What it is known by' },
  },
  list: contactList,
  show: showContact,
  find: findContact,
  actions: {
    POST: action({
      summary: 'Add contacts',
      status: 201,
      answers: 'objects',
      body: newContacts,
      example: { objects: [{ email: 'ops@example.com', name: 'Operations', phone: '+44 20 7946 0018' }] },
      async run({ scope, work, body: { objects } }) {
        const made = await createContacts(scope, work, objects);
        const [only, ...others] = made;
        const isOne = only !== undefined && others.length === 0;
        return {
          status: 201,
          body: { objects: made.map(showContact) },
          location: isOne ? contactAddress(only.uuid) : '/api/2.0/notification_contacts/',
        };
      },
    }),
  },
  actionsOnOne: {
    PUT: action({
      summary: 'Change a contact',
      status: 200,
      answers: 'one',
      furtherFields: { pk: { type: 'string', isReadOnly: true, help: 'The same as `uuid`' } },
      body: changedContact,
      example: { email: 'ops@example.com', name: 'Operations' },
      async run({ scope, work, uuid, body }) {
        const { email, name, phone, ...fixed } = body;
        const change = Object.fromEntries(
          Object.entries({ email, name, phone }).filter(([, value]) => value !== undefined),
        );
        const contact = await changeContact(scope, work, { uuid, change });
        requireSame(fixed, { ...showContact(contact), pk: contact.uuid });
        return { status: 200, body: { ...showContact(contact), pk: contact.uuid } };
      },
    }),
    DELETE: {
      summary: 'Remove a contact, which must not be the main one',
      status: 204,
      answers: 'nothing',
      body: null,
      async run({ scope, work, uuid }) {
        await removeContact(scope, work, uuid);
        return { status: 204, body: null };
      },
    },
  },
};

/** @throws AppError `validation_failed` for what cannot be changed and is given otherwise than it is. */
function requireSame(given: Json, present: Json): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || meant(name, value) === meant(name, present[name])) continue;
    throw new AppError({
      code: 'validation_failed',
      public: `${name} cannot be changed. Leave it out.`,
      param: name,
    });
  }
}

/** A contact that is not the main one shows null, which clients with a boolean of two values read and send as false. */
const meant = (name: string, value: unknown): unknown => (name === 'main' ? (value ?? false) : value);
