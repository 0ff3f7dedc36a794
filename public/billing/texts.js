// What the pages say, by language and page. Every language has every text: tools/suite/return-pages.test.ts holds it.
export const TEXTS = {
  en: {
    success: {
      title: 'Thank you',
      body: 'Your purchase is complete. The extension shows it within a few seconds, wherever it is open.',
    },
    cancel: {
      title: 'Nothing was charged',
      body: 'You left the checkout. Whenever you want to go on, start it again from the extension.',
    },
    'portal-return': {
      title: 'All saved',
      body: 'Changes to your plan show in the extension within a few seconds.',
    },
    'signed-in': {
      title: 'You are signed in',
      body: 'The extension shows your account now, wherever it is open.',
    },
    'sign-in': {
      title: 'One more step',
      body: 'You are not signed in yet. Copy this link, and paste it into the extension in the browser where you asked for it.',
    },
    nothing: {
      title: 'There is nothing here',
      body: 'Plans, credits and payments are in the extension. Open it from your browser’s toolbar.',
    },
    close: 'You can close this tab.',
    copy: 'Copy link',
    copied: 'Copied',
  },
  de: {
    success: {
      title: 'Vielen Dank',
      body: 'Dein Kauf ist abgeschlossen. Die Erweiterung zeigt ihn in wenigen Sekunden, überall wo sie offen ist.',
    },
    cancel: {
      title: 'Es wurde nichts berechnet',
      body: 'Du hast die Kasse verlassen. Wenn du weitermachen willst, beginne einfach neu in der Erweiterung.',
    },
    'portal-return': {
      title: 'Alles gespeichert',
      body: 'Änderungen an deinem Tarif zeigt die Erweiterung in wenigen Sekunden.',
    },
    'signed-in': {
      title: 'Du bist angemeldet',
      body: 'Die Erweiterung zeigt jetzt dein Konto, überall wo sie offen ist.',
    },
    'sign-in': {
      title: 'Noch ein Schritt',
      body: 'Du bist noch nicht angemeldet. Kopiere diesen Link und füge ihn in die Erweiterung ein, in dem Browser, in dem du ihn angefordert hast.',
    },
    nothing: {
      title: 'Hier ist nichts',
      body: 'Tarife, Guthaben und Zahlungen findest du in der Erweiterung. Öffne sie über die Symbolleiste deines Browsers.',
    },
    close: 'Du kannst diesen Tab schließen.',
    copy: 'Link kopieren',
    copied: 'Kopiert',
  },
  es: {
    success: {
      title: 'Gracias',
      body: 'Tu compra se ha completado. La extensión la mostrará en unos segundos, dondequiera que esté abierta.',
    },
    cancel: {
      title: 'No se ha cobrado nada',
      body: 'Has salido del pago. Cuando quieras continuar, vuelve a empezar desde la extensión.',
    },
    'portal-return': {
      title: 'Todo guardado',
      body: 'La extensión mostrará los cambios de tu plan en unos segundos.',
    },
    'signed-in': {
      title: 'Has iniciado sesión',
      body: 'La extensión ya muestra tu cuenta, dondequiera que esté abierta.',
    },
    'sign-in': {
      title: 'Un paso más',
      body: 'Aún no has iniciado sesión. Copia este enlace y pégalo en la extensión, en el navegador donde lo pediste.',
    },
    nothing: {
      title: 'Aquí no hay nada',
      body: 'Los planes, los créditos y los pagos están en la extensión. Ábrela desde la barra de herramientas del navegador.',
    },
    close: 'Puedes cerrar esta pestaña.',
    copy: 'Copiar enlace',
    copied: 'Copiado',
  },
  fr: {
    success: {
      title: 'Merci',
      body: 'Votre achat est terminé. L’extension l’affichera dans quelques secondes, partout où elle est ouverte.',
    },
    cancel: {
      title: 'Rien n’a été débité',
      body: 'Vous avez quitté le paiement. Pour continuer, recommencez depuis l’extension quand vous voulez.',
    },
    'portal-return': {
      title: 'Tout est enregistré',
      body: 'L’extension affichera les changements de votre formule dans quelques secondes.',
    },
    'signed-in': {
      title: 'Vous êtes connecté',
      body: 'L’extension affiche maintenant votre compte, partout où elle est ouverte.',
    },
    'sign-in': {
      title: 'Encore une étape',
      body: 'Vous n’êtes pas encore connecté. Copiez ce lien et collez-le dans l’extension, dans le navigateur où vous l’avez demandé.',
    },
    nothing: {
      title: 'Il n’y a rien ici',
      body: 'Formules, crédits et paiements se trouvent dans l’extension. Ouvrez-la depuis la barre d’outils du navigateur.',
    },
    close: 'Vous pouvez fermer cet onglet.',
    copy: 'Copier le lien',
    copied: 'Copié',
  },
  it: {
    success: {
      title: 'Grazie',
      body: 'L’acquisto è completato. L’estensione lo mostrerà tra pochi secondi, ovunque sia aperta.',
    },
    cancel: {
      title: 'Nessun addebito',
      body: 'Hai lasciato il pagamento. Quando vuoi continuare, ricomincia dall’estensione.',
    },
    'portal-return': {
      title: 'Tutto salvato',
      body: 'L’estensione mostrerà le modifiche al tuo piano tra pochi secondi.',
    },
    'signed-in': {
      title: 'Hai effettuato l’accesso',
      body: 'L’estensione mostra ora il tuo account, ovunque sia aperta.',
    },
    'sign-in': {
      title: 'Ancora un passo',
      body: 'Non hai ancora effettuato l’accesso. Copia questo link e incollalo nell’estensione, nel browser in cui lo hai richiesto.',
    },
    nothing: {
      title: 'Qui non c’è nulla',
      body: 'Piani, crediti e pagamenti sono nell’estensione. Aprila dalla barra degli strumenti del browser.',
    },
    close: 'Puoi chiudere questa scheda.',
    copy: 'Copia link',
    copied: 'Copiato',
  },
  nl: {
    success: {
      title: 'Bedankt',
      body: 'Je aankoop is afgerond. De extensie toont die binnen enkele seconden, overal waar ze open is.',
    },
    cancel: {
      title: 'Er is niets afgeschreven',
      body: 'Je hebt het afrekenen verlaten. Wil je verder, begin dan opnieuw vanuit de extensie.',
    },
    'portal-return': {
      title: 'Alles is opgeslagen',
      body: 'De extensie toont wijzigingen van je abonnement binnen enkele seconden.',
    },
    'signed-in': {
      title: 'Je bent ingelogd',
      body: 'De extensie toont nu je account, overal waar ze open is.',
    },
    'sign-in': {
      title: 'Nog één stap',
      body: 'Je bent nog niet ingelogd. Kopieer deze link en plak hem in de extensie, in de browser waarin je erom vroeg.',
    },
    nothing: {
      title: 'Hier is niets',
      body: 'Abonnementen, tegoed en betalingen vind je in de extensie. Open die via de werkbalk van je browser.',
    },
    close: 'Je kunt dit tabblad sluiten.',
    copy: 'Link kopiëren',
    copied: 'Gekopieerd',
  },
  pt: {
    success: {
      title: 'Obrigado',
      body: 'Sua compra foi concluída. A extensão a mostrará em alguns segundos, onde quer que esteja aberta.',
    },
    cancel: {
      title: 'Nada foi cobrado',
      body: 'Você saiu do pagamento. Quando quiser continuar, comece de novo pela extensão.',
    },
    'portal-return': {
      title: 'Tudo salvo',
      body: 'A extensão mostrará as mudanças do seu plano em alguns segundos.',
    },
    'signed-in': {
      title: 'Você entrou',
      body: 'A extensão agora mostra sua conta, onde quer que esteja aberta.',
    },
    'sign-in': {
      title: 'Falta um passo',
      body: 'Você ainda não entrou. Copie este link e cole-o na extensão, no navegador em que o pediu.',
    },
    nothing: {
      title: 'Não há nada aqui',
      body: 'Os planos, os créditos e os pagamentos estão na extensão. Abra-a na barra de ferramentas do navegador.',
    },
    close: 'Você pode fechar esta aba.',
    copy: 'Copiar link',
    copied: 'Copiado',
  },
  ja: {
    success: {
      title: 'ありがとうございます',
      body: 'ご購入が完了しました。数秒後に、開いている拡張機能すべてに反映されます。',
    },
    cancel: {
      title: '請求は発生していません',
      body: 'お支払い画面を離れました。続ける場合は、拡張機能からもう一度お手続きください。',
    },
    'portal-return': {
      title: '保存しました',
      body: 'プランの変更は、数秒後に拡張機能に反映されます。',
    },
    'signed-in': {
      title: 'サインインしました',
      body: '開いている拡張機能すべてに、あなたのアカウントが表示されます。',
    },
    'sign-in': {
      title: 'あと一歩です',
      body: 'まだサインインしていません。このリンクをコピーして、リンクを依頼したブラウザーの拡張機能に貼り付けてください。',
    },
    nothing: {
      title: 'ここには何もありません',
      body: 'プラン、クレジット、支払いは拡張機能の中にあります。ブラウザのツールバーから開いてください。',
    },
    close: 'このタブは閉じてかまいません。',
    copy: 'リンクをコピー',
    copied: 'コピーしました',
  },
};

/** The first of the visitor's languages that there are texts for; English where there is none. */
export function languageOf(wanted) {
  const known = wanted.map((tag) => tag.toLowerCase().split('-')[0]).find((tag) => Object.hasOwn(TEXTS, tag));
  return known ?? 'en';
}
