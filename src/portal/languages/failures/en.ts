/** What the code of a failed request means, and what helps. */
import type { ErrorCode } from '../../../base/errors.ts';

export const en = {
  upstream_refused_request:
    'The provider refused the request itself: a field or a value is not what the model takes. Correct the request; sent again as it is, it is refused again.',
  content_filtered:
    'The provider refused the content by its own rules. Change the prompt, or ask a model of another provider.',
  context_length_exceeded:
    'The prompt and the longest answer do not fit into the context of the model. Shorten the conversation, ask for a shorter answer, or take a model with more context.',
  upstream_unreachable:
    'The provider could not be reached. Send the request again; if it keeps failing, tell whoever runs this server.',
  upstream_failed: 'The provider had an error of its own. Send the request again.',
  upstream_invalid_answer:
    'The provider sent something that is not a valid answer. Send the request again; if it stays so, tell whoever runs this server.',
  upstream_rejected_credentials:
    'The provider did not take the credentials of this server. Whoever runs it has to renew them; sending again changes nothing.',
  upstream_model_unavailable:
    'The provider does not have this model, or not for this account. Ask another model, or tell whoever runs this server.',
  upstream_overloaded: 'The provider had too much to do. Wait a moment and send the request again.',
  upstream_quota_spent:
    'What this server may use of the provider is used up. Tell whoever runs this server; sending again changes nothing.',
  upstream_rate_limited:
    'The provider took no more requests of this server for the time being. Wait a moment and send the request again.',
  upstream_timeout:
    'The provider did not answer in time. Send the request again, stream the answer, or ask for a shorter one.',
  upstream_state_gone:
    'The request goes on from what a provider had stored, which is not there any more. Send the whole conversation.',
  no_provider:
    'No provider that may serve this model was left. See what the key and the data policy allow, or ask another model.',
  body_too_large: 'The body is larger than is taken. Send less, or smaller files.',
  client_closed:
    'The program that asked closed the connection before the end. Give it more time where that was not meant.',
  shutting_down: 'This server was stopping. Send the request again.',
  accounting_unavailable:
    'What the request can cost could not be set aside, since the books could not be reached. Send the request again.',
  internal_error:
    'Something went wrong in this server. Send the request again; if it stays so, tell whoever runs it the request id.',
} satisfies Partial<Record<ErrorCode, string>>;

export type FailuresWords = Record<keyof typeof en, string>;
