/** Why something was not done, and what to do. */

export const en = {
  tooManyAttempts: (seconds: number) => `There were too many attempts. Try again in ${seconds} seconds.`,
  sentences: {
    not_signed_in: 'Sign in first.',
    not_allowed: 'Your role does not allow this. Ask an administrator of your organisation.',
    cross_site: 'This came from a page of another site, so nothing was done. Do it on a page of this one.',
    sign_in_elsewhere:
      'People with this e-mail domain sign in by the provider of their organisation alone. Use its button on the sign-in page.',
    proof_needed: 'Show once more who you are: give your password, or sign in again.',
    email_unverified: 'Your e-mail address is not verified yet. Follow the link in the mail first.',
    account_suspended: 'Your account is suspended. Ask your administrator why.',
    account_archived: 'Your account is closed.',
    wrong_credentials: 'The e-mail address or the password is wrong.',
    wrong_code: 'This code is wrong, or was used before.',
    first_step_over: 'It took too long, or there were too many wrong codes. Sign in again.',
    terms_not_accepted: 'The terms have changed. Accept them first.',
    link_over: 'This link does not work any more. Ask for another mail.',
    conflict: 'This has changed meanwhile. Load the page again.',
    validation_failed: 'Something that you entered cannot be used. It says beside the field what is wrong.',
    body_too_large: 'That was more than is taken here. Send less.',
    request_timeout: 'What you sent came too slowly. Try again.',
    malformed_request: 'What you sent broke off. Try again.',
    malformed_json: 'The body is not valid JSON.',
    server_busy: 'The server is busy. Try again in a moment.',
    database_unavailable: 'The database cannot be reached. Nothing is lost; try again in a few seconds.',
    internal_error: 'Something went wrong on our side. Try again in a moment.',
  },
  /** What a rule says of a field, by its kind. */
  fields: {
    kind_of_tokens: 'Kinds are of tokens alone.',
    labels_apart: 'Tags and end users are summed apart: ask for one of them.',
    span_empty: 'The span must begin before it ends, and before now.',
    span_long: 'A span has at most 1,000 days.',
    no_hours:
      'Hours are told of 32 days at most, and neither of tags and end users nor of people together with models.',
    too_short: 'At least 8 characters are needed.',
    too_long: 'At most 128 characters are taken.',
    too_common: 'This is one of the passwords that are guessed first. Choose another.',
    same_address: 'This is your address already.',
    too_deep: 'This has more levels than are taken.',
    too_large: 'This is larger than is taken.',
    not_text: 'This has characters that cannot be kept.',
    last_owner: 'You are the last owner of this platform. Make somebody else an owner first.',
    pays_for_others:
      'Your wallet pays for other people of your organisation. Have another person named who pays first.',
    declared: 'The configuration file declares this account and would make it anew. Remove it there first.',
    other_email: 'This is not the address of your account.',
    wrong: 'This is not your password.',
    terms: 'Without your consent to the terms no account can be made.',
    taken: 'This is taken. Choose another.',
    over: 'This invitation does not work any more. Ask for another.',
    other_address: 'This invitation is for another e-mail address.',
    other_organisation: 'You belong to another organisation already.',
    missing: 'This is needed.',
    not_granted: 'You cannot give this role.',
    not_found: 'There is no such place that you can invite to.',
  },
  refused: 'This cannot be done',
};

export type ErrorsWords = typeof en;
