import {
  type ButtonHTMLAttributes,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type Ref,
  useId,
} from 'react';
import { t } from './text/texts.ts';
import './control-tokens.css';
import './button.css';
import './controls.css';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'primary' | 'secondary' | 'quiet' | 'danger' | 'link';
  /** Something is under way: says so to everybody, keeps the focus, and takes no press until it is over. */
  readonly busy?: boolean;
  readonly wide?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
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

interface CloseButtonProps {
  readonly onClick: () => void;
  readonly 'data-testid': string;
}

/** A cross that says "Close" to those who do not see it. */
export function CloseButton(props: CloseButtonProps): ReactNode {
  return (
    <button type="button" className="billing-close" aria-label={t('wallDismiss')} {...props}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M4 4l8 8m0-8l-8 8" />
      </svg>
    </button>
  );
}

interface ToggleProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly (readonly [Value, string])[];
  readonly onChoose: (value: Value) => void;
}

/** A choice of one, side by side; radio buttons to a keyboard and to a screen reader. */
export function Toggle<Value extends string>({
  label,
  value,
  choices,
  onChoose,
}: ToggleProps<Value>): ReactNode {
  const name = useId();
  return (
    <fieldset className="billing-toggle">
      <legend className="billing-visually-hidden">{label}</legend>
      {choices.map(([choice, text]) => (
        <label key={choice} className="billing-toggle-choice">
          <input
            type="radio"
            className="billing-visually-hidden"
            name={name}
            checked={value === choice}
            onChange={() => onChoose(choice)}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}
