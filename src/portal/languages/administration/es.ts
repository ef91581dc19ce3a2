/** Administración: invitar a personas. */
import type { AdministrationWords } from './en.ts';

export const es = {
  invites: {
    title: 'Invitaciones',
    email: 'Dirección de correo',
    role: 'Rol',
    organisation: 'Organización',
    noOrganisation: 'Ninguna',
    department: 'Departamento',
    noDepartment: 'Ninguno',
    action: 'Enviar la invitación',
    sent: (email) => `La invitación a ${email} está en camino. Es válida durante siete días.`,
    empty: 'Todavía no se ha invitado a nadie.',
    place: 'Dónde',
    state: 'Estado',
    expires: 'Caduca',
    revoke: 'Revocar',
    revoked: 'La invitación está revocada.',
  },
  states: { pending: 'pendiente', over: 'caducada', accepted: 'aceptada', revoked: 'revocada' },
  roles: {
    platform_owner: 'Propietario de la plataforma',
    platform_admin: 'Administración de la plataforma',
    org_owner: 'Propietario de una organización',
    org_admin: 'Administración de una organización',
    department_admin: 'Administración de un departamento',
    member: 'Miembro',
  },
} satisfies AdministrationWords;
