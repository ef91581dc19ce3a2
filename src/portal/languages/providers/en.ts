/** Signing in by an identity provider, and accounts there that are linked to one here. */
export const en = {
  or: 'Or with an account that you already have',
  goOn: (provider: string) => `Continue with ${provider}`,
  again: (provider: string) => `Try again with ${provider}`,
  signIn: 'To the sign-in',
  invitation: 'To the invitation',
  goingOn: {
    title: (provider: string) => `On to ${provider}`,
    text: 'You show there who you are, and come back. If nothing happens, press the button.',
    action: 'Go on',
  },
  terms: {
    title: 'One step before your account is made',
    text: (email: string, provider: string) =>
      `${provider} says that you are ${email}, and there is no account with this address yet.`,
    portal: (name: string, host: string, organisation: string) =>
      `You come from ${name} (${host}). The account will belong to ${organisation}, and you will be signed in at ${host}, where whoever runs that address can act as you.`,
    action: 'Accept and create account',
  },
  refused: {
    denied: (provider: string) => ({
      title: `You were not signed in at ${provider}`,
      text: `It was stopped there, by you or by ${provider}. Nothing was done here.`,
    }),
    stale: (provider: string) => ({
      title: 'This sign-in is over',
      text: `It was begun more than ten minutes ago or in another browser, or was finished already. Begin again with ${provider}.`,
    }),
    away: (provider: string) => ({
      title: `${provider} cannot be reached`,
      text: 'It did not answer, or said something that makes no sense. Try again in a moment, or sign in another way. If it goes on, tell whoever runs this service.',
    }),
    unverified_there: (provider: string) => ({
      title: `${provider} does not vouch for your e-mail address`,
      text: `Verify the address at ${provider} and come back, or sign in here with a password and link ${provider} in your settings.`,
    }),
    unverified_here: (provider: string) => ({
      title: 'There is an account with your address already',
      text: `Its address was never confirmed, so it cannot be linked to ${provider} by itself. If you made it, follow the link in the mail that you got then, and link ${provider} in your settings. If you did not, choose a password at “Forgot your password?”, which makes it yours.`,
    }),
    other_identity: (provider: string) => ({
      title: `Your account is linked to another account at ${provider}`,
      text: `Sign in with that one, or as you always do, and change the link in your settings.`,
    }),
    other_provider: () => ({
      title: 'Your organisation signs in elsewhere',
      text: 'People with your e-mail domain sign in only with the provider of their organisation. Use its button on the sign-in page.',
    }),
    invited_otherwise: (provider: string) => ({
      title: 'The invitation is for another address',
      text: `It is for an address that ${provider} does not name as yours. Choose the account there that has the invited address, or open the invitation again and create an account with a password.`,
    }),
    invite_over: () => ({
      title: 'This invitation does not work any more',
      text: 'It may have been used or withdrawn, or is older than seven days. Ask whoever invited you for another. No account was made.',
    }),
  },
  handoff: {
    question: (host: string) => `Go on to ${host}?`,
    consequence: (email: string, host: string) =>
      `You will be signed in at ${host} as ${email}. Whoever runs that address can then act as you. Go on only if you began there yourself.`,
    goOn: (host: string) => `Go on to ${host}`,
    goingOn: 'If nothing happens, press the button.',
    stay: 'Sign in here instead',
    notThere: (host: string) =>
      `You are signed in here and not at ${host}, where only people of its own organisation are signed in by a provider, and nobody who administers the platform.`,
    title: 'This sign-in is over',
    text: 'The way back works once, for a short time, and in the browser that began it. Begin again.',
  },
  settings: {
    provider: 'Provider',
    account: 'Account',
    change: 'Change',
    title: 'Sign in with other accounts',
    text: 'An account that is linked signs you in here.',
    linked: 'The account is linked. You can sign in with it from now on.',
    taken: 'That account is linked to another account here, or yours has one of this provider already.',
    link: (provider: string) => `Link ${provider}`,
    unlink: (provider: string) => `Unlink ${provider}`,
    unlinked: 'The account is not linked any more.',
    none: 'Not linked',
  },
};

export type ProvidersWords = typeof en;
