// The least that Express can do, as the yardstick: node express-hello.mjs <port>
import express from 'express';

const [port] = process.argv.slice(2);
const app = express();
app.get('/', (_req, res) => res.json({ ok: true }));
app.post('/', express.json(), (_req, res) => res.json({ ok: true }));
app.listen(Number(port), '127.0.0.1', () => console.log(`hello on port ${port}`));
