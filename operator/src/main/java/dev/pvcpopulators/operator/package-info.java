/// The controller that fills or streams claims: watches them, and runs the services as Jobs or
/// Deployments.
@NullMarked
package dev.pvcpopulators.operator;

import org.jspecify.annotations.NullMarked;
