/// The controller that fills claims: watches them, and runs the services as Jobs.
@NullMarked
package dev.pvcpopulators.operator;

import org.jspecify.annotations.NullMarked;
