// Becomes firebase.cjs, which is loaded when a request first needs the database or a token is to be checked.
import * as app from 'firebase-admin/app';
import * as auth from 'firebase-admin/auth';
import * as firestore from 'firebase-admin/firestore';

export { app, auth, firestore };
