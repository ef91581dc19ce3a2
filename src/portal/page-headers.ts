/** Headers of every page: nothing but our own files, no frames, no referrer, no copies. */
import type { MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';

const own = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  fontSrc: ["'self'"],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
};

/** Whether a host is https for ever is for the proxy that ends TLS to say: no Strict-Transport-Security here. */
const others = {
  xFrameOptions: 'DENY',
  referrerPolicy: 'no-referrer',
  strictTransportSecurity: false,
} as const;

export const securityHeaders: MiddlewareHandler = secureHeaders({ contentSecurityPolicy: own, ...others });

/** Of the page that shows a mail in a frame. */
export const framingHeaders: MiddlewareHandler = secureHeaders({
  contentSecurityPolicy: { ...own, frameSrc: ["'self'"] },
  ...others,
});

/** Of a mail's HTML in that frame: the styles that stand inside it, and nothing else, as somebody else's would be. */
export const mailHeaders: MiddlewareHandler = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'unsafe-inline'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'self'"],
    sandbox: [],
  },
  ...others,
  xFrameOptions: 'SAMEORIGIN',
});

/** Pages hold private figures, and sign-in links are secrets: neither may stay in a cache. */
export const notStored: MiddlewareHandler = async (context, next) => {
  await next();
  context.header('cache-control', 'no-store');
};
