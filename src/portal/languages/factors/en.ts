/** The second factor and passkeys: at the sign-in, and in the settings. */

export const en = {
  step: {
    title: 'Enter your code',
    text: 'Your authenticator app shows six digits. If you do not have it at hand, enter one of your recovery codes.',
    code: 'Code',
    action: 'Go on',
    back: 'Sign in as somebody else',
  },
  enter: {
    action: 'Sign in with a passkey',
    failed: 'The passkey was not accepted. Try again, or sign in with your password.',
  },
  codes: {
    title: 'Two-step sign-in',
    off: 'After your password you are asked for a code of an app on your phone, so that the password alone is worth nothing.',
    on: 'After your password you are asked for a code of your app.',
    left: (count: string) => `${count} left.`,
    leftForms: { one: 'recovery code', other: 'recovery codes' },
    begin: 'Set up',
    code: 'Code of the app, or a recovery code',
    renew: 'New recovery codes',
    remove: 'Turn off',
    removed: 'You sign in with your password alone from now on.',
  },
  setUp: {
    title: 'Set up two-step sign-in',
    scan: 'Scan this with an authenticator app, then enter the code that it shows.',
    picture: 'The picture to scan',
    secret: 'Or enter this key by hand:',
    code: 'Code of the app',
    action: 'Turn on',
  },
  recovery: {
    title: 'Your recovery codes',
    text: 'Keep them where you find them without your phone. Each signs you in once, and they are shown only now.',
    action: 'I have kept them',
  },
  passkeys: {
    title: 'Passkeys',
    text: 'A passkey signs you in with your fingerprint, your face or the code of your device, without a password.',
    script: 'Adding one needs a script, which your browser does not run here.',
    name: 'Name',
    unnamed: 'Passkey',
    added: 'Added',
    used: 'Last used',
    never: 'never',
    add: 'Add a passkey',
    remove: 'Remove',
    removed: 'The passkey is removed.',
    isAdded: 'The passkey is added. You can sign in with it from now on.',
    failed: 'No passkey was added. Try again, or use another device.',
  },
};

export type FactorsWords = typeof en;
