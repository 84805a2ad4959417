/// What a person at a terminal, or the reader of a log, sees of a job: progress, figures, the end.
@NullMarked
package dev.pvcpopulators.terminal;

import org.jspecify.annotations.NullMarked;
