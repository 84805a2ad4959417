package dev.pvcpopulators.registrycopy;

import dev.pvcpopulators.kit.disk.CopySettings;
import dev.pvcpopulators.kit.settings.CheckedBy;
import dev.pvcpopulators.kit.settings.Described;
import dev.pvcpopulators.kit.source.ImageDiskSettings;
import dev.pvcpopulators.kit.source.RegistrySettings;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/// The settings of this service, without the settings that all services share (prefix `populator`).
@CheckedBy(CopyRules.class)
@ConfigMapping(prefix = "registry-copy")
public interface RegistryCopySettings extends ImageDiskSettings, RegistrySettings, CopySettings {
  @Described("The hypervisor whose disk is used, if an artifact has disks for several")
  @WithDefault("qemu")
  String diskType();
}
