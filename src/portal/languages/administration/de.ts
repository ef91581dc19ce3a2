/** Verwaltung: Menschen einladen. */
import type { AdministrationWords } from './en.ts';

export const de = {
  invites: {
    title: 'Einladungen',
    email: 'E-Mail-Adresse',
    role: 'Rolle',
    organisation: 'Organisation',
    noOrganisation: 'Keine',
    department: 'Abteilung',
    noDepartment: 'Keine',
    action: 'Einladung senden',
    sent: (email) => `Die Einladung an ${email} ist unterwegs. Sie gilt sieben Tage.`,
    empty: 'Noch niemand ist eingeladen.',
    place: 'Wohin',
    state: 'Stand',
    expires: 'Läuft ab',
    revoke: 'Zurückziehen',
    revoked: 'Die Einladung ist zurückgezogen.',
  },
  states: { pending: 'offen', over: 'abgelaufen', accepted: 'angenommen', revoked: 'zurückgezogen' },
  roles: {
    platform_owner: 'Inhaber der Plattform',
    platform_admin: 'Admin der Plattform',
    org_owner: 'Inhaber einer Organisation',
    org_admin: 'Admin einer Organisation',
    department_admin: 'Admin einer Abteilung',
    member: 'Mitglied',
  },
} satisfies AdministrationWords;
