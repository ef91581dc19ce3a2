/** Every route of the portal. What has no row here is not mounted. */
import { adminViewRoutes } from './admin/admin-view.ts';
import { invitationRoutes } from './admin/invites.tsx';
import { activityRoutes } from './dashboard/activity.tsx';
import { dashboardRoutes } from './dashboard/dashboard.tsx';
import { guideRoutes } from './dashboard/guide/guide.tsx';
import { keyLimitRoutes } from './dashboard/keys/key-limits.ts';
import { keyRoutes } from './dashboard/keys/keys.tsx';
import { modelsRoutes } from './dashboard/models/models.tsx';
import { requestLogRoutes } from './dashboard/request-log/request-log.tsx';
import { searchRoutes } from './dashboard/search/search.ts';
import { usageRoutes } from './dashboard/usage/usage.tsx';
import { mailRoutes } from './dev/mails.tsx';
import { showcaseRoutes } from './dev/showcase.tsx';
import { descriptionRoutes } from './openapi.ts';
import { preferencesRoutes } from './preferences.ts';
import { publicRoutes } from './public/public-pages.ts';
import { referenceRoutes } from './reference/reference.tsx';
import type { Route } from './route.ts';
import { settingsRoutes } from './settings/settings.tsx';
import { unsubscribeRoutes } from './settings/unsubscribe.tsx';
import { webhookRoutes } from './settings/webhooks/webhooks.tsx';
import { acceptTermsRoutes } from './sign-in/accept-terms.ts';
import { handoffRoutes } from './sign-in/handoff.tsx';
import { inviteRoutes } from './sign-in/invite.tsx';
import { legalAcceptanceRoutes } from './sign-in/legal-acceptance.tsx';
import { loginRoutes } from './sign-in/login.tsx';
import { passkeyRoutes } from './sign-in/passkey.tsx';
import { passwordResetRoutes } from './sign-in/password-reset.tsx';
import { providerReturnRoutes } from './sign-in/provider-return.ts';
import { providerStartRoutes } from './sign-in/provider-start.ts';
import { secondFactorRoutes } from './sign-in/second-factor.tsx';
import { signInRoutes } from './sign-in/sign-in.ts';
import { signupRoutes } from './sign-in/signup.tsx';
import { standingRoutes } from './sign-in/standing.ts';
import { verifyEmailRoutes } from './sign-in/verify-email.tsx';
import { welcomeRoutes } from './sign-in/welcome.tsx';

export const portalRoutes: readonly Route[] = [
  ...publicRoutes,
  ...referenceRoutes(() => portalRoutes),
  ...standingRoutes,
  ...loginRoutes,
  ...secondFactorRoutes,
  ...passkeyRoutes,
  ...signupRoutes,
  ...verifyEmailRoutes,
  ...passwordResetRoutes,
  ...inviteRoutes,
  ...legalAcceptanceRoutes,
  ...welcomeRoutes,
  ...signInRoutes,
  ...providerStartRoutes,
  ...providerReturnRoutes,
  ...acceptTermsRoutes,
  ...handoffRoutes,
  ...preferencesRoutes,
  ...dashboardRoutes,
  ...modelsRoutes,
  ...guideRoutes,
  ...searchRoutes,
  ...activityRoutes,
  ...usageRoutes,
  ...requestLogRoutes,
  ...keyRoutes,
  ...keyLimitRoutes,
  ...adminViewRoutes,
  ...invitationRoutes,
  ...settingsRoutes,
  ...unsubscribeRoutes,
  ...webhookRoutes,
  ...descriptionRoutes(() => portalRoutes),
];

/** What only developers of this program need, on top. */
export const developmentRoutes: readonly Route[] = [...showcaseRoutes, ...mailRoutes];
