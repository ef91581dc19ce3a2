/** How the account API says no: every error is an array, whatever its status. */
import { AppError, type ErrorCode } from '../base/errors.ts';
import { writeAnswer } from './answer.ts';

export const errorTypes = [
  'validation',
  'notexist',
  'backend',
  'permission',
  'database',
  'concurrency',
  'billing',
  'payment',
] as const;
type ErrorType = (typeof errorTypes)[number];

/** Every error of this API is an array of these, whatever its status. */
interface ApiError {
  /** The field at fault; null where none is. */
  readonly error_point: string | null;
  readonly error_type: ErrorType;
  readonly error_message: string;
}

/** Where this face has another status than the table of `base/errors.ts`: it answers 400 alone to what is not valid. */
const statuses: Partial<Record<ErrorCode, number>> = {
  validation_failed: 400,
  unsupported_content_type: 415,
};

const typesByCode: Partial<Record<ErrorCode, ErrorType>> = {
  not_found: 'notexist',
  database_unavailable: 'database',
  insufficient_funds: 'billing',
  budget_exceeded: 'billing',
};

const challenges = ['Basic realm="Sluice account API", charset="UTF-8"', 'Bearer realm="Sluice account API"'];

export function refuse(error: AppError, requestId: string): Response {
  const status = statuses[error.code] ?? error.status;
  const answer = writeAnswer({ status, body: JSON.stringify(errorsOf(error, status)), requestId });
  if (status === 401) for (const one of challenges) answer.headers.append('www-authenticate', one);
  if (error.retryAfterSeconds !== undefined)
    answer.headers.set('retry-after', String(error.retryAfterSeconds));
  return answer;
}

function errorsOf(error: AppError, status: number): readonly ApiError[] {
  const error_type = typesByCode[error.code] ?? typeOfStatus(status);
  if (error.fields.length === 0) {
    return [{ error_point: error.param ?? null, error_type, error_message: error.message }];
  }
  return error.fields.map(({ loc, msg }) => {
    const names = loc.filter((step) => typeof step === 'string');
    const point = names.at(-1) ?? null;
    return { error_point: point, error_type, error_message: `${writePlace(loc)} ${msg}`.trim() };
  });
}

/** `objects[1].email`, as people write it. */
function writePlace(loc: readonly (string | number)[]): string {
  return loc.reduce<string>(
    (place, step) =>
      typeof step === 'number' ? `${place}[${step}]` : place === '' ? step : `${place}.${step}`,
    '',
  );
}

function typeOfStatus(status: number): ErrorType {
  if (status === 401 || status === 403) return 'permission';
  if (status === 402) return 'billing';
  return status < 500 && status !== 429 ? 'validation' : 'backend';
}

export const noSuchPlace = (path: string): AppError =>
  new AppError({ code: 'not_found', public: `There is nothing at ${path.slice(0, 200)}.` });
