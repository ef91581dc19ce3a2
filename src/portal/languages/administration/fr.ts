/** Administration : inviter des personnes. */
import type { AdministrationWords } from './en.ts';

export const fr = {
  invites: {
    title: 'Invitations',
    email: 'Adresse e-mail',
    role: 'Rôle',
    organisation: 'Organisation',
    noOrganisation: 'Aucune',
    department: 'Service',
    noDepartment: 'Aucun',
    action: 'Envoyer l’invitation',
    sent: (email) => `L’invitation à ${email} est en route. Elle est valable sept jours.`,
    empty: 'Personne n’est encore invité.',
    place: 'Où',
    state: 'État',
    expires: 'Expire',
    revoke: 'Révoquer',
    revoked: 'L’invitation est révoquée.',
  },
  states: { pending: 'en attente', over: 'expirée', accepted: 'acceptée', revoked: 'révoquée' },
  roles: {
    platform_owner: 'Propriétaire de la plateforme',
    platform_admin: 'Administration de la plateforme',
    org_owner: 'Propriétaire d’une organisation',
    org_admin: 'Administration d’une organisation',
    department_admin: 'Administration d’un service',
    member: 'Membre',
  },
} satisfies AdministrationWords;
