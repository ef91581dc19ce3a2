/** Notification preferences: which kinds of notification each contact is told of. */
import { z } from 'zod';
import {
  changePreferences,
  contactAddress,
  media,
  type Preference,
  preferenceKinds,
  preferenceList,
  uuidOfAddress,
} from '../notifications/index.ts';
import { action, type Json, type Resource } from './resource.ts';

const mostAtOnce = 5_000;

const kinds = preferenceKinds.map(({ kind }) => kind);

const preference = z.strictObject({
  contact: z.string(),
  medium: z.enum(media, `must be ${media.join(' or ')}`),
  type: z.enum(kinds, 'is no kind of notification'),
  value: z.boolean(),
});
const severalPreferences = z.array(preference).min(1).max(mostAtOnce);

/** One, or a list of them. */
const preferences = z.preprocess((body) => (Array.isArray(body) ? body : [body]), severalPreferences);

const showPreference = ({ contact, medium, kind, enabled }: Preference): Json => ({
  contact: contactAddress(contact),
  medium,
  type: kind,
  value: enabled,
});

export const preferencesResource: Resource<Preference> = {
  name: 'notification_preferences',
  summary: 'Preferences of all contacts',
  title: 'NotificationPreference',
  fields: {
    contact: { type: 'string', help: 'Address of a contact' },
    medium: { type: 'string', help: 'How the contact is told', values: media },
    type: {
      type: 'string',
      help: 'Kind of notification',
      values: kinds,
    },
    value: { type: 'boolean', help: 'Whether the contact is told' },
  },
  list: preferenceList,
  show: showPreference,
  find: null,
  actions: {
    PUT: action({
      summary: 'Change one preference or a list of them, all or none',
      status: 202,
      answers: 'objects',
      body: preferences,
      bodyShape: z.union([severalPreferences, preference]),
      example: [
        {
          contact: contactAddress('8f2bd7f0-5b2c-4a7e-9f57-3f4a1f9c2d10'),
          medium: 'email',
          type: 'payment',
          value: false,
        },
      ],
      async run({ scope, work, body }) {
        const wanted = body.map(({ contact, medium, type, value }) => ({
          contact: uuidOfAddress(contact) ?? '',
          medium,
          kind: type,
          enabled: value,
        }));
        const applied = await changePreferences(scope, work, wanted);
        return { status: 202, body: { objects: applied.map(showPreference) } };
      },
    }),
  },
  actionsOnOne: {},
};
