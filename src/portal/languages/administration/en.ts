/** Administration: inviting people. */

export const en = {
  invites: {
    title: 'Invitations',
    email: 'E-mail address',
    role: 'Role',
    organisation: 'Organisation',
    noOrganisation: 'None',
    department: 'Department',
    noDepartment: 'None',
    action: 'Send the invitation',
    sent: (email: string) => `The invitation to ${email} is on its way. It is good for seven days.`,
    empty: 'Nobody is invited yet.',
    place: 'Where',
    state: 'State',
    expires: 'Expires',
    revoke: 'Revoke',
    revoked: 'The invitation is revoked.',
  },
  states: { pending: 'pending', over: 'over', accepted: 'accepted', revoked: 'revoked' },
  roles: {
    platform_owner: 'Platform owner',
    platform_admin: 'Platform admin',
    org_owner: 'Owner of an organisation',
    org_admin: 'Admin of an organisation',
    department_admin: 'Admin of a department',
    member: 'Member',
  },
};

export type AdministrationWords = typeof en;
