import type { ButtonHTMLAttributes, ReactNode } from 'react';
import './button.css';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'primary' | 'secondary' | 'quiet' | 'danger' | 'link';
  /** Something is under way: says so to everybody, and stays clickable. */
  readonly busy?: boolean;
  readonly wide?: boolean;
  readonly 'data-testid'?: string;
}

/** The one button of every surface. */
export function Button({ look = 'secondary', busy = false, wide = false, ...rest }: ButtonProps): ReactNode {
  return (
    <button
      type="button"
      {...rest}
      className="billing-button"
      data-look={look}
      data-wide={wide || undefined}
      aria-busy={busy || undefined}
    />
  );
}
