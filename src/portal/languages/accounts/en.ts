/** Making an account and getting into it: passwords, addresses, invitations, terms. */
import type { Child } from 'hono/jsx';

export const en = {
  field: {
    email: 'E-mail address',
    password: 'Password',
    newPassword: 'New password',
    name: 'Your name',
    organisation: 'Name of your organisation',
  },
  help: {
    password: 'At least 8 characters. A few words that have nothing to do with each other are good.',
    name: 'As your colleagues see it.',
    organisation: 'Who you run this for. It can be changed later.',
  },
  login: {
    title: (brand: string) => `Sign in to ${brand}`,
    action: 'Sign in',
    forgot: 'Forgot your password?',
    noAccount: 'No account yet?',
    create: 'Create an account',
  },
  signup: {
    title: 'Create an account',
    action: 'Create account',
    hasAccount: 'You have an account already?',
    signIn: 'Sign in',
    invited: (place: string, email: string) => `You are invited to ${place}, by this address: ${email}.`,
    terms: (terms: Child, use: Child, privacy: Child): Child[] => [
      'I accept the ',
      terms,
      ', the ',
      use,
      ' and the ',
      privacy,
      '.',
    ],
    termsLink: 'terms',
    useLink: 'acceptable use policy',
    privacyLink: 'privacy policy',
    joined: (brand: string) => `Welcome to ${brand}.`,
  },
  /** Where somebody wants to sign in at a portal that is not of their organisation. */
  elsewhere: {
    title: (host: string) => `You cannot be signed in at ${host}`,
    text: (host: string) =>
      `Only people of its own organisation are signed in at ${host}, and nobody who administers the platform: whoever runs that address could act as you. Sign in at the main address.`,
    action: (address: string) => `Sign in at ${address}`,
  },
  sent: {
    title: 'Check your e-mail',
    verification:
      'A mail is on its way to the address that you gave. Follow its link within 24 hours, and enter your password once more.',
    reset:
      'If there is an account with this address, a mail is on its way to it. Its link works for an hour.',
    late: 'It can take a few minutes. Check your spam folder too.',
    back: 'To the sign-in',
  },
  verify: {
    title: 'Confirm your e-mail address',
    ask: (email: string) => `Enter the password that you chose when you made the account of ${email}.`,
    action: 'Confirm and sign in',
    notYours:
      'Did you not create this account? Then do nothing, and it stays closed. To use it yourself, choose a new password with the link above.',
    otherSession: (email: string) =>
      `You are signed in as ${email}. The link is for another account: sign out, and open it again.`,
    done: 'Your e-mail address is confirmed',
    doneText: (email: string) => `${email} is confirmed. Nothing more is needed.`,
    doneMessage: 'Your e-mail address is confirmed.',
    over: 'This link does not work any more',
    overText: 'A link confirms an address within 24 hours of the mail. Have another mail sent:',
    waiting: 'Your e-mail address is not confirmed yet',
    waitingText: (email: string) =>
      `Your API keys work once it is. Follow the link in the mail that was sent to ${email}.`,
    again: 'Send the mail again',
    sentMessage: 'If the address is still to be confirmed, another mail is on its way.',
    continue: 'Open the dashboard',
    signIn: 'Sign in',
  },
  forgot: {
    title: 'Choose a new password',
    text: 'Enter the address of your account. A link will be sent to it.',
    action: 'Send the mail',
  },
  reset: {
    title: 'Choose a new password',
    text: (email: string) => `For ${email}. All browsers that are signed in are signed out.`,
    action: 'Save and sign in',
    done: 'Your password is changed, and all other browsers are signed out.',
    over: 'This link does not work any more',
    overText: 'A link changes a password once, within an hour of the mail. Have another mail sent.',
    again: 'Send another mail',
  },
  invite: {
    title: (place: string) => `You are invited to ${place}`,
    text: (inviter: string, place: string) => `${inviter} would like you to join ${place}.`,
    role: 'Role',
    department: 'Department',
    address: 'For the address',
    until: 'Until',
    join: (place: string) => `Join ${place}`,
    signIn: 'Sign in and join',
    create: 'Create an account',
    otherAddress: (email: string) =>
      `You are signed in as ${email}. The invitation is for the address above: sign out, and open it again.`,
    signOut: 'Sign out',
    joined: (place: string) => `You belong to ${place} now.`,
    over: 'This invitation does not work any more',
    overText:
      'An invitation works once, within seven days. It may have been used or withdrawn. Ask whoever invited you for another.',
    platform: 'the administration of this platform',
  },
  roles: {
    platform_owner: 'Platform owner',
    platform_admin: 'Platform admin',
    org_owner: 'Owner of the organisation',
    org_admin: 'Admin of the organisation',
    department_admin: 'Admin of the department',
    member: 'Member',
  },
  legal: {
    title: 'The terms have changed',
    first: 'Before you go on',
    text: (terms: Child, use: Child, privacy: Child): Child[] => [
      'Please read the ',
      terms,
      ', the ',
      use,
      ' and the ',
      privacy,
      '. Your account can be used once you have accepted them.',
    ],
    version: (version: string) => `Version of ${version}`,
    action: 'Accept and go on',
    done: 'You have accepted the terms.',
    signOut: 'Sign out instead',
  },
  welcome: {
    title: 'Welcome to Sluice',
    text: (email: string) =>
      `This account, ${email}, owns everything here. Give it a password, and your organisation a name.`,
    action: 'Save and go on',
    later: 'Later',
    anotherLink: 'Or open another sign-in link. On the machine of this service one is made with:',
    done: 'From now on you can sign in with your password.',
  },
};

export type AccountsWords = typeof en;
