/// What a job shows to a person at a terminal, or to the reader of a log: progress, figures,
/// summary.
@NullMarked
package dev.pvcpopulators.terminal;

import org.jspecify.annotations.NullMarked;
