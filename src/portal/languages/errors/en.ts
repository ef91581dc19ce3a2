/** Why something was not done, and what to do. */

export const en = {
  tooManyAttempts: (seconds: number) => `There were too many attempts. Try again in ${seconds} seconds.`,
  sentences: {
    not_signed_in: 'Sign in first.',
    not_allowed: 'Your role does not allow this. Ask an administrator of your organisation.',
    cross_site: 'This came from a page of another site, so nothing was done. Do it on a page of this one.',
    email_unverified: 'Your e-mail address is not verified yet. Follow the link in the mail first.',
    account_suspended: 'Your account is suspended. Ask your administrator why.',
    account_archived: 'Your account is closed.',
    validation_failed: 'Something that you entered cannot be used. It says beside the field what is wrong.',
    body_too_large: 'That was more than is taken here. Send less.',
    request_timeout: 'What you sent came too slowly. Try again.',
    malformed_request: 'What you sent broke off. Try again.',
    malformed_json: 'The body is not valid JSON.',
    server_busy: 'The server is busy. Try again in a moment.',
    database_unavailable: 'The database cannot be reached. Nothing is lost; try again in a few seconds.',
    internal_error: 'Something went wrong on our side. Try again in a moment.',
  },
  refused: 'This cannot be done',
};

export type ErrorsWords = typeof en;
