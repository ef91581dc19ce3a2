/** What an answer can hold beyond its usual parts, by the names under which it is asked for. */

export const encryptedPart = 'reasoning.encrypted_content';
export const logprobsPart = 'message.output_text.logprobs';
