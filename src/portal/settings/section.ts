/** What a section of the settings is given, and what it gives; and the addresses of their pages. */
import type { Context } from 'hono';
import type { Child } from 'hono/jsx';
import type { Session } from '../../identity/index.ts';
import type { KeptForm } from '../kept-form.ts';
import type { PortalServices } from '../services.ts';

export const settingsPaths = {
  profile: '/dashboard/settings',
  security: '/dashboard/settings/security',
  notifications: '/dashboard/settings/notifications',
  data: '/dashboard/settings/data',
} as const;

export type SettingsPage = keyof typeof settingsPaths;
export const settingsPageNames = ['profile', 'security', 'notifications', 'data'] as const;

export interface SectionAsked {
  readonly context: Context;
  readonly services: PortalServices;
  readonly session: Session;
  /** The form of the page that was refused, whichever it was: `formOf` says whether it is one's own. */
  readonly form: KeptForm;
}

export interface Section {
  show(asked: SectionAsked): Child | Promise<Child>;
}
