// The least that Express can do, as the yardstick: node express-hello.mjs <port>
import express from 'express';

const app = express();
app.get('/', (_req, res) => res.json({ ok: true }));
app.post('/', express.json(), (_req, res) => res.json({ ok: true }));
app.listen(Number(process.argv[2]), '127.0.0.1');
