import type { ButtonHTMLAttributes, KeyboardEvent, MouseEvent, ReactNode } from 'react';
import './button.css';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'primary' | 'secondary' | 'quiet' | 'danger' | 'link';
  /** Something is under way: says so to everybody, keeps the focus, and takes no press until it is over. */
  readonly busy?: boolean;
  readonly wide?: boolean;
  readonly 'data-testid'?: string;
}

/** The one button of every surface. A double click, or a key that is held down, is one press. */
export function Button(props: ButtonProps): ReactNode {
  const { look = 'secondary', busy = false, wide = false, onClick, onKeyDown, ...rest } = props;
  const press = (event: MouseEvent<HTMLButtonElement>): void => {
    // The first click of a double click may be done before the second: only `detail` says that they belong together.
    if (busy || event.detail > 1) event.preventDefault();
    else onClick?.(event);
  };
  const keyDown = (event: KeyboardEvent<HTMLButtonElement>): void => {
    if (event.repeat && event.key === 'Enter') event.preventDefault();
    onKeyDown?.(event);
  };
  return (
    <button
      type="button"
      {...rest}
      className="billing-button"
      data-look={look}
      data-wide={wide || undefined}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={press}
      onKeyDown={keyDown}
    />
  );
}
