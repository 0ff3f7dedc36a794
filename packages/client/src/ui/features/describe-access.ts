import { formatCount } from '../format/format-date.ts';
import { t, tCount } from '../text/t.ts';
import type { FeatureAccess } from './derive-access.ts';

/** What running a feature takes, in words, or what it needs first. */
export function describeAccess(access: FeatureAccess): string {
  switch (access.kind) {
    case 'open':
      return t('featureOpen');
    case 'included':
      return t('featureIncluded');
    case 'needs_plan':
      return t('featureNeedsPlan');
    case 'free':
      return t('featureFree');
    case 'costs':
      return tCount(access.cost, 'featureCost', formatCount(access.cost));
    case 'needs_credits':
      return tCount(access.cost, 'featureOff', formatCount(access.cost));
    default:
      return access satisfies never;
  }
}
