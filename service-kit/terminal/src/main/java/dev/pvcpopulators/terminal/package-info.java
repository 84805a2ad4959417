/// The output of a job for a person at a terminal, or for the reader of a log: progress, figures,
/// summary.
@NullMarked
package dev.pvcpopulators.terminal;

import org.jspecify.annotations.NullMarked;
