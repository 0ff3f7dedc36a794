/**
 * The texts of signing in, which a page of somebody who is signed in does not read. Whoever shows one brings them
 * (`bringTexts`).
 */
export const englishOfSignIn = {
  hostSignInFirst: 'Sign in to the extension first.',
  hostSignInToBuy: 'Sign in to the extension. Then the checkout for “$1” opens.',
  keepTitle: 'Keep what you bought',
  keepWords: 'You are a guest on this browser only. Create an account, and your plan and credits move to it.',
  signInAgain: 'Sign in again',
  signInEmail: 'Email',
  signInExpired: 'Your session has ended. Sign in to keep your balance up to date.',
  signInForgot: 'Forgot your password?',
  signInGoogle: 'Continue with Google',
  signInGuest: 'Continue as a guest',
  signInLeaveGuest: 'Sign in and leave it behind',
  signInLink: 'Mail me a sign-in link',
  signInLinkAgain: 'Mail me another link',
  signInLinkPaste: 'Opened it elsewhere? Paste the link',
  signInLinkSent: 'A link is on its way to $1. Open it in this browser, and you are signed in here.',
  signInLinkTitle: 'Check your mail',
  signInLinkUse: 'Sign in with this link',
  signInOtherWay: 'Sign in another way',
  signInPassword: 'Password',
  signInResetSent: 'If there is an account for $1, a link for a new password is on its way.',
  signInSubmit: 'Sign in',
  signInToBuy: 'Sign in or create an account. Then the checkout for “$1” opens.',
  signInWhy: 'Your plan and credits follow your account.',
  signUpPassword: 'At least 6 characters.',
  signUpSubmit: 'Create account',
  signUpTitle: 'Create your account',
  signInTitle: 'Sign in',
} as const;
