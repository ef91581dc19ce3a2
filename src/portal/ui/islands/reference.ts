/** Starts the viewer of descriptions, whose file was loaded before this one, in the place that the page has for it. */

interface ViewerSettings {
  readonly url: string;
  readonly domNode: Element;
  readonly [setting: string]: unknown;
}

declare global {
  interface Window {
    SwaggerUIBundle?: (settings: ViewerSettings) => unknown;
  }
}

const place = document.querySelector<HTMLElement>('[data-description]');
const url = place?.dataset['description'];
if (place && url !== undefined && window.SwaggerUIBundle !== undefined) {
  place.replaceChildren();
  window.SwaggerUIBundle({
    url,
    domNode: place,
    deepLinking: true,
    filter: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    // It would otherwise send the description to another host.
    validatorUrl: null,
  });
}

export {};
