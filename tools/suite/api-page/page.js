// Shows the suite's OpenAPI document, and signs a user of the auth emulator in to try it.
const form = document.querySelector('#sign-in');
const status = document.querySelector('#signed-in');
const authEmulator = fetch('settings.json').then(async (answer) => (await answer.json()).authEmulator);

// swagger-ui has colours for the dark, and takes them by a class of the page alone.
const dark = matchMedia('(prefers-color-scheme: dark)');
const followTheSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followTheSystem);
followTheSystem();

const ui = globalThis.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#api',
  tryItOutEnabled: true,
  displayOperationId: true,
  defaultModelsExpandDepth: 0,
  // Nothing of it leaves this machine: no badge of an online validator.
  validatorUrl: null,
});

/** Signs up, or in where the e-mail is known. */
async function signIn(credentials) {
  const base = `${await authEmulator}/identitytoolkit.googleapis.com/v1/accounts`;
  const ask = async (what) => {
    const answer = await fetch(`${base}:${what}?key=local`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...credentials, returnSecureToken: true }),
    });
    return answer.json();
  };
  const made = await ask('signUp');
  const signedIn = made.error?.message === 'EMAIL_EXISTS' ? await ask('signInWithPassword') : made;
  if (signedIn.error) throw new Error(signedIn.error.message);
  return signedIn;
}

function say(text, kind) {
  status.className = kind;
  status.textContent = text;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { email, password } = Object.fromEntries(new FormData(form));
  try {
    const { idToken, localId } = await signIn({ email, password });
    ui.preauthorizeApiKey('idToken', idToken);
    say(`${email} is signed in for an hour, as ${localId}.`, 'good');
  } catch (error) {
    say(`Not signed in: ${error.message}`, 'bad');
  }
});
