package dev.pvcpopulators.iscsitarget.directory;

import dev.pvcpopulators.iscsitarget.login.AccessControl;
import dev.pvcpopulators.iscsitarget.unit.ScsiTarget;

/// One iSCSI target of a server.
///
/// @param name its iSCSI name, for example `iqn.2017-01.io.kubevirt:sn.42`
/// @param access its access control
/// @param device its logical units
public record Target(String name, AccessControl access, ScsiTarget device) {}
